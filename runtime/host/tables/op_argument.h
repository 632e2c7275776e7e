#pragma once

#include <ATen/core/function_schema.h>
#include <ATen/core/ivalue.h>
#include <hob/abi/types.h>

#include <cstdint>
#include <optional>
#include <string>

namespace hob::host {

// One argument of an operator's schema: turns values of the ABI into LibTorch's.
//
// Taken are, by the schema's type: a tensor, and a tensor list (with absent tensors for Tensor?[]);
// INT for int; INT and both scalars for float, as in Python; both scalars, INT, FLOAT and BOOL for
// Scalar; BOOL for bool; DTYPE for ScalarType; a string for str and for a device; INTS for int[],
// and INT where the schema says int[2]; INTS and FLOATS for float[]; INTS of 0 and 1 for bool[];
// NONE for all optional ones. Layouts and memory formats are INT with LibTorch's numbers. A device
// that is left out is the CPU, as in LibTorch. Generators are always absent: the run's are used.
class OpArgument {
 public:
  explicit OpArgument(const c10::Argument& argument);

  // Throws PluginError that names the argument, its type and what was given.
  c10::IValue convert(const hob_value& value) const;

  const std::string& name() const { return name_; }
  const std::optional<c10::IValue>& default_value() const { return default_; }

 private:
  enum class Type {
    kTensor,
    kTensorList,
    kOptionalTensorList,
    kInt,
    kFloat,
    kBool,
    kString,
    kScalar,
    kDtype,
    kDevice,
    kIntList,
    kFloatList,
    kBoolList,
    kOther,  // only NONE, where optional
  };
  static Type type_of(const c10::Type& type);
  static Type list_type_of(const c10::Type& element);

  c10::IValue convert_list(const hob_value& value) const;
  c10::IValue convert_number(const hob_value& value) const;
  [[noreturn]] void refuse_value(const hob_value& value) const;

  std::string name_;
  std::string type_text_;  // as the schema writes it
  Type type_;
  bool is_optional_ = false;
  int32_t fixed_size_ = 0;  // the 2 of int[2]
  std::optional<c10::IValue> default_;
};

}  // namespace hob::host
