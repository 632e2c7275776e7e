#pragma once

#include <stdexcept>
#include <string>

namespace hob {

// Whose fault ended the program: each value is the exit code that `hob` returns for it.
enum class Fault : int {
  kRun = 1,     // the run itself failed
  kUsage = 2,   // the recipe, the command line or the data's place is wrong
  kPlugin = 3,  // a plugin that the recipe needs was refused
  kBudget = 4,  // over the memory budget
};

// The one exception that hob throws. The message says where, what was found, what was expected and
// what to do; it is shown to the user as it is.
class Error : public std::runtime_error {
 public:
  Error(Fault fault, const std::string& message) : std::runtime_error(message), fault_(fault) {}

  Fault fault() const { return fault_; }
  int exit_code() const { return static_cast<int>(fault_); }

 private:
  Fault fault_;
};

}  // namespace hob
