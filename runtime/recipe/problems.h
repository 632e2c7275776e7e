#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "recipe/tree.h"

namespace hob::recipe {

// Collects every error of meaning, to be reported at once in the order of their places.
class Problems {
 public:
  void add(const Mark& mark, std::string message, Fault fault = Fault::kUsage);

  // Throws hob::Error with one line for each, where there are any. kPlugin where all of them are.
  void raise_if_any() const;

 private:
  struct Problem {
    Mark mark;
    std::string message;
    Fault fault;
  };
  std::vector<Problem> problems_;
};

// "recipe.toml:12:5: error: message".
std::string located(const Position& position, const std::string& message);

// The same as an exception of its own, for what cannot wait for the others.
[[noreturn]] void raise_at(const Mark& mark, const std::string& message);

}  // namespace hob::recipe
