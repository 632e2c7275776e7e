#pragma once

#include <hob/tensor.h>

#include <atomic>
#include <initializer_list>
#include <optional>

// Operators of LibTorch by name. <hob/ops.h> has ready functions for the usual ones.

namespace hob {

// Integers for an operator's argument, such as a shape: {2, 3}, a vector or a span. Borrowed.
class Ints : public std::span<const int64_t> {
 public:
  using span::span;
  Ints(std::initializer_list<int64_t> ints) : span(ints.begin(), ints.size()) {}
  Ints(const std::vector<int64_t>& ints) : span(ints) {}
};

// An argument of an operator. Borrows what it is made of.
class Argument : public hob_value {
 public:
  Argument() : hob_value{} {}
  Argument(TensorRef t) : hob_value{} {
    kind = t ? HOB_VALUE_TENSOR : HOB_VALUE_NONE;
    as.tensor = t.handle();
  }
  Argument(const Tensor& t) : Argument(static_cast<TensorRef>(t)) {}
  Argument(ListRef l) : hob_value{} {
    kind = HOB_VALUE_LIST;
    as.list = l.handle();
  }
  Argument(int64_t i) : hob_value{} {
    kind = HOB_VALUE_INT;
    as.i = i;
  }
  Argument(double f) : hob_value{} {
    kind = HOB_VALUE_FLOAT;
    as.f = f;
  }
  Argument(bool b) : hob_value{} {
    kind = HOB_VALUE_BOOL;
    as.i = b ? 1 : 0;
  }
  Argument(std::string_view s) : hob_value{} {
    kind = HOB_VALUE_STRING;
    count = static_cast<uint32_t>(s.size());
    as.s = s.data();
  }
  Argument(std::span<const int64_t> ints) : hob_value{} {
    kind = HOB_VALUE_INTS;
    count = static_cast<uint32_t>(ints.size());
    as.ints = ints.data();
  }
  template <class T>
  Argument(const std::optional<T>& value) : hob_value{} {
    if (value) *this = Argument(*value);
  }

  static Argument scalar(double f) {
    Argument a;
    a.kind = HOB_VALUE_SCALAR_FLOAT;
    a.as.f = f;
    return a;
  }
  static Argument dtype(std::optional<int32_t> d) {
    Argument a;
    if (d) {
      a.kind = HOB_VALUE_DTYPE;
      a.as.i = *d;
    }
    return a;
  }
};

// An operator, looked up at its first call: `static Op op("aten::add", "Tensor");`
class Op {
 public:
  constexpr Op(const char* name, const char* overload) : name_(name), overload_(overload) {}

  void run(std::initializer_list<Argument> args) { call(args, nullptr, 0); }
  Tensor tensor(std::initializer_list<Argument> args) {
    hob_value result{};
    call(args, &result, 1);
    return Tensor(result.as.tensor);
  }
  TensorList list(std::initializer_list<Argument> args) {
    hob_value result{};
    call(args, &result, 1);
    return TensorList(result.as.list);
  }
  int64_t integer(std::initializer_list<Argument> args) {
    hob_value result{};
    call(args, &result, 1);
    return result.as.i;
  }
  void call(std::initializer_list<Argument> args, hob_value* results, uint32_t n_results) {
    hob_op* op = op_.load(std::memory_order_relaxed);
    if (!op) [[unlikely]] {
      check(ops().find(name_, overload_, &op));
      op_.store(op, std::memory_order_relaxed);
    }
    check(ops().call(op, args.begin(), static_cast<uint32_t>(args.size()), results, n_results));
  }

 private:
  const char* name_;
  const char* overload_;
  std::atomic<hob_op*> op_ = nullptr;  // atomic: the first calls may come from several threads
};

}  // namespace hob
