#pragma once

#include <ATen/core/Tensor.h>
#include <hob/abi/autograd.h>
#include <hob/abi/core.h>
#include <hob/abi/cuda.h>
#include <hob/abi/ops.h>
#include <hob/abi/params.h>
#include <hob/abi/segments.h>
#include <hob/abi/sockets.h>

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "base/log.h"
#include "host/tables/guard.h"
#include "host/tables/instance.h"
#include "support/torch_catch.h"

// What the tests of the host's tables share: they stand where a plugin does, and see C tables only.

namespace hob::test {

using host::borrow;
using host::take;

template <class Table>
const Table& host_interface(const char* id) {
  return *static_cast<const Table*>(host::host_table()->interface(id));
}
inline const hob_core& core() {
  return host_interface<hob_core>("hob.core/1");
}
inline const hob_ops& ops() {
  return host_interface<hob_ops>("hob.ops/1");
}
inline const hob_params& params() {
  return host_interface<hob_params>("hob.params/1");
}
inline const hob_sockets& sockets() {
  return host_interface<hob_sockets>("hob.sockets/1");
}
inline const hob_segments& segments() {
  return host_interface<hob_segments>("hob.segments/1");
}
inline const hob_autograd& autograd() {
  return host_interface<hob_autograd>("hob.autograd/1");
}
inline const hob_cuda& cuda() {
  return host_interface<hob_cuda>("hob.cuda/1");
}

// An error's code and text, as a plugin reads them; the error is freed.
struct Failure {
  int32_t code = 0;  // 0: none
  std::string text;
};
inline Failure failure(hob_error* error) {
  if (!error) return {};
  Failure result{core().error_code(error), core().error_text(error)};
  core().error_free(error);
  return result;
}
inline void ok(hob_error* error) {
  const Failure f = failure(error);
  INFO(f.text);
  REQUIRE(f.code == 0);
}
inline void fails(hob_error* error, int32_t code, const std::string& text) {
  const Failure f = failure(error);
  CHECK_THAT(f.text, Catch::Matchers::ContainsSubstring(text));
  CHECK(f.code == code);
}

// Values of the ABI.
inline hob_value value(const at::Tensor& t) {
  return {HOB_VALUE_TENSOR, 0, {.tensor = borrow(t)}};
}
inline hob_value value(hob_list* l) {
  return {HOB_VALUE_LIST, 0, {.list = l}};
}
inline hob_value value(int64_t i) {
  return {HOB_VALUE_INT, 0, {.i = i}};
}
inline hob_value value(double f) {
  return {HOB_VALUE_FLOAT, 0, {.f = f}};
}
inline hob_value scalar(double f) {
  return {HOB_VALUE_SCALAR_FLOAT, 0, {.f = f}};
}
inline hob_value boolean(bool b) {
  return {HOB_VALUE_BOOL, 0, {.i = b}};
}
inline hob_value dtype(int64_t d) {
  return {HOB_VALUE_DTYPE, 0, {.i = d}};
}
inline hob_value none() {
  return {HOB_VALUE_NONE, 0, {.i = 0}};
}
inline hob_value value(const std::string& s) {
  return {HOB_VALUE_STRING, static_cast<uint32_t>(s.size()), {.s = s.c_str()}};
}
inline hob_value value(const std::vector<int64_t>& v) {
  return {HOB_VALUE_INTS, static_cast<uint32_t>(v.size()), {.ints = v.data()}};
}
inline hob_value value(const std::vector<double>& v) {
  return {HOB_VALUE_FLOATS, static_cast<uint32_t>(v.size()), {.floats = v.data()}};
}

// An operator, called as a plugin calls it.
class Operator {
 public:
  Operator(const char* name, const char* overload) { ok(ops().find(name, overload, &op_)); }

  hob_error* run(std::initializer_list<hob_value> args, hob_value* results = nullptr,
                 uint32_t n_results = 0) const {
    return ops().call(op_, args.begin(), static_cast<uint32_t>(args.size()), results, n_results);
  }
  at::Tensor tensor(std::initializer_list<hob_value> args) const {
    hob_value result{};
    ok(run(args, &result, 1));
    REQUIRE(result.kind == HOB_VALUE_TENSOR);
    return take(result.as.tensor);
  }

 private:
  hob_op* op_ = nullptr;
};

// A run with its instances' environments.
struct Run {
  host::World world{at::Device(at::kCPU)};
  hob_env model{&world, "model", "model (gpt)", 1};
  hob_env lora{&world, "compression.0", "compression.0 (lora)", 2};
  hob_env mask{&world, "compression.1", "compression.1 (mask)", 3};
  hob_env nowhere{nullptr, "schedule", "schedule (cosine)", 4};

  hob_param* add(const char* name, const at::Tensor& value, uint32_t role = HOB_ROLE_WEIGHT,
                 uint32_t flags = HOB_PARAM_TRAINABLE) {
    hob_param* param = nullptr;
    ok(params().add(&model, name, borrow(value), role, flags, &param));
    return param;
  }
};

// What is logged while it lives, instead of showing it.
class LogCapture {
 public:
  LogCapture() {
    log::set_stderr_level(log::Level::kOff);
    log::set_listener(
        [this](log::Level level, const std::string& line) { lines_.emplace_back(level, line); });
  }
  ~LogCapture() {
    log::set_listener({});
    log::set_stderr_level(log::Level::kInfo);
  }
  const std::vector<std::pair<log::Level, std::string>>& lines() const { return lines_; }

 private:
  std::vector<std::pair<log::Level, std::string>> lines_;
};

inline at::Tensor& value_of(hob_param* param) {
  return host::tensor_of(param->value);
}

}  // namespace hob::test
