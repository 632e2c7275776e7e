#pragma once

#include <hob/abi/segments.h>
#include <hob/memory.h>
#include <hob/native/torch.h>
#include <hob/params.h>

#include <string>

namespace hob::native {

// A place in the tree of names of a model: what is made of it registers with the model's run.
//
//   Scope root(*this);
//   Linear fc(root / "fc", 512, 10);   // fc.weight, fc.bias, the socket fc
class Scope {
 public:
  template <class Model>
  explicit Scope(const Model& model) : env_(model.env()) {}

  Scope operator/(const std::string& name) const {
    return {env_, name_.empty() ? name : name_ + "." + name};
  }
  Scope operator/(int64_t index) const { return *this / std::to_string(index); }

  hob_env* env() const { return env_; }
  const std::string& name() const { return name_; }
  // Whether the model trains or is evaluated; valid as long as the model.
  const hob_pass* pass() const { return segments_table().pass(env_); }

  // Registers name.`leaf`. A buffer is state of the layer that forward may change.
  hob_param* parameter(const std::string& leaf, const at::Tensor& value, hob_role role) const {
    return add_param(env_, (*this / leaf).name(), borrow(value), role, HOB_PARAM_TRAINABLE);
  }
  hob_param* buffer(const std::string& leaf, const at::Tensor& value, hob_role role) const {
    return add_param(env_, (*this / leaf).name(), borrow(value), role, HOB_PARAM_BUFFER);
  }
  // Ties name.`leaf` to a parameter that is there already.
  void alias(const std::string& leaf, hob_param* param) const {
    check(params_table().alias(env_, param, (*this / leaf).name().c_str()));
  }

 private:
  Scope(hob_env* env, std::string name) : env_(env), name_(std::move(name)) {}

  hob_env* env_;
  std::string name_;
};

}  // namespace hob::native
