#pragma once

#include <exception>
#include <functional>
#include <string>
#include <vector>

#include "session/verify/bench.h"

// The conformance suite: what a component of each kind must hold, whoever wrote it. A test is a
// function that gets a component on a bench, and throws where it does not hold.

namespace hob::session::verify {

// A test's way out: the component is wrong, in words for its author.
class Failure : public std::exception {
 public:
  explicit Failure(std::string text) : text_(std::move(text)) {}
  const char* what() const noexcept override { return text_.c_str(); }

 private:
  std::string text_;
};

// The test cannot be done with this component, and why.
class Skip : public std::exception {
 public:
  explicit Skip(std::string text) : text_(std::move(text)) {}
  const char* what() const noexcept override { return text_.c_str(); }

 private:
  std::string text_;
};

inline void expect(bool holds, const std::string& otherwise) {
  if (!holds) throw Failure(otherwise);
}

struct Test {
  std::string name;  // "optimizer.resume_is_bitwise"
  std::string kind;  // of the components that it is for; "": of any
  std::function<void(Bench&)> run;
};

// Each kind's, in a file of its name.
std::vector<Test> component_tests();
std::vector<Test> model_tests();
std::vector<Test> dataset_tests();
std::vector<Test> transform_tests();
std::vector<Test> objective_tests();
std::vector<Test> metric_tests();
std::vector<Test> optimizer_tests();
std::vector<Test> schedule_tests();
std::vector<Test> precision_tests();
std::vector<Test> compression_tests();
std::vector<Test> memory_tests();
std::vector<Test> callback_tests();
std::vector<Test> monitor_tests();

}  // namespace hob::session::verify
