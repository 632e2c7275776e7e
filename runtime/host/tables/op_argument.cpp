#include "host/tables/op_argument.h"

#include <ATen/core/List.h>
#include <ATen/core/jit_type.h>
#include <c10/core/Device.h>

#include <span>
#include <vector>

#include "base/text.h"
#include "host/tables/guard.h"
#include "host/tables/list.h"

namespace hob::host {
namespace {

std::string describe(const hob_value& value) {
  switch (value.kind) {
    case HOB_VALUE_NONE:
      return "nothing";
    case HOB_VALUE_TENSOR:
      return value.as.tensor ? "a tensor" : "a NULL tensor";
    case HOB_VALUE_LIST:
      if (!value.as.list) return "a NULL list";
      return value.as.list->has_absent ? "a list with absent tensors" : "a list of tensors";
    case HOB_VALUE_INT:
      return "the integer " + std::to_string(value.as.i);
    case HOB_VALUE_FLOAT:
      return "the float " + format_number(value.as.f);
    case HOB_VALUE_BOOL:
      return "a bool";
    case HOB_VALUE_STRING:
      return "the string " + quote({value.as.s, value.count});
    case HOB_VALUE_INTS:
      return std::to_string(value.count) + " integers";
    case HOB_VALUE_FLOATS:
      return std::to_string(value.count) + " floats";
    case HOB_VALUE_STRINGS:
      return std::to_string(value.count) + " strings";
    case HOB_VALUE_SCALAR_INT:
      return "the scalar " + std::to_string(value.as.i);
    case HOB_VALUE_SCALAR_FLOAT:
      return "the scalar " + format_number(value.as.f);
    case HOB_VALUE_DTYPE:
      return "dtype " + std::to_string(value.as.i);
    default:
      return "a value of unknown kind " + std::to_string(value.kind);
  }
}

bool is_integer(const hob_value& value) {
  return value.kind == HOB_VALUE_INT || value.kind == HOB_VALUE_SCALAR_INT;
}
bool is_float(const hob_value& value) {
  return value.kind == HOB_VALUE_FLOAT || value.kind == HOB_VALUE_SCALAR_FLOAT;
}

std::vector<int64_t> ints_of(const hob_value& value) {
  return std::vector<int64_t>(value.as.ints, value.as.ints + value.count);
}

c10::IValue optional_tensors(const hob_list& list) {
  c10::List<std::optional<at::Tensor>> result;
  result.reserve(list.size());
  for (uint32_t i = 0; i < list.size(); ++i) {
    const at::Tensor& tensor = list.at(i);
    result.push_back(tensor.defined() ? std::optional(tensor) : std::nullopt);
  }
  return result;
}

}  // namespace

OpArgument::OpArgument(const c10::Argument& argument)
    : name_(argument.name()),
      type_text_(argument.real_type()->str()),
      fixed_size_(argument.N().value_or(0)),
      default_(argument.default_value()) {
  // The real type: the other one has plain integers in place of ScalarType and its like.
  c10::TypePtr type = argument.real_type();
  if (const auto optional = type->cast<c10::OptionalType>()) {
    is_optional_ = true;
    type = optional->getElementType();
  }
  type_ = type_of(*type);
}

OpArgument::Type OpArgument::type_of(const c10::Type& type) {
  switch (type.kind()) {
    case c10::TypeKind::TensorType:
      return Type::kTensor;
    case c10::TypeKind::IntType:
    case c10::TypeKind::SymIntType:
    case c10::TypeKind::LayoutType:
    case c10::TypeKind::MemoryFormatType:
      return Type::kInt;
    case c10::TypeKind::FloatType:
      return Type::kFloat;
    case c10::TypeKind::BoolType:
      return Type::kBool;
    case c10::TypeKind::StringType:
      return Type::kString;
    case c10::TypeKind::NumberType:
      return Type::kScalar;
    case c10::TypeKind::ScalarTypeType:
      return Type::kDtype;
    case c10::TypeKind::DeviceObjType:
      return Type::kDevice;
    case c10::TypeKind::ListType:
      return list_type_of(*type.containedType(0));
    default:
      return Type::kOther;
  }
}

OpArgument::Type OpArgument::list_type_of(const c10::Type& element) {
  switch (element.kind()) {
    case c10::TypeKind::TensorType:
      return Type::kTensorList;
    case c10::TypeKind::IntType:
    case c10::TypeKind::SymIntType:
      return Type::kIntList;
    case c10::TypeKind::FloatType:
      return Type::kFloatList;
    case c10::TypeKind::BoolType:
      return Type::kBoolList;
    case c10::TypeKind::OptionalType:
      return element.containedType(0)->kind() == c10::TypeKind::TensorType
                 ? Type::kOptionalTensorList
                 : Type::kOther;
    default:
      return Type::kOther;
  }
}

c10::IValue OpArgument::convert(const hob_value& value) const {
  if (value.kind == HOB_VALUE_NONE && is_optional_) return {};
  switch (type_) {
    case Type::kTensor:
      if (value.kind != HOB_VALUE_TENSOR || !value.as.tensor) refuse_value(value);
      return tensor_of(value.as.tensor);
    case Type::kInt:
    case Type::kFloat:
    case Type::kScalar:
      return convert_number(value);
    case Type::kBool:
      if (value.kind != HOB_VALUE_BOOL) refuse_value(value);
      return value.as.i != 0;
    case Type::kString:
      if (value.kind != HOB_VALUE_STRING) refuse_value(value);
      return std::string(value.as.s, value.count);
    case Type::kDtype:
      if (value.kind != HOB_VALUE_DTYPE) refuse_value(value);
      return value.as.i;
    case Type::kDevice:
      if (value.kind != HOB_VALUE_STRING) refuse_value(value);
      return c10::Device(std::string(value.as.s, value.count));
    default:
      return convert_list(value);
  }
}

c10::IValue OpArgument::convert_number(const hob_value& value) const {
  if (is_integer(value)) {
    if (type_ == Type::kFloat) return static_cast<double>(value.as.i);
    return value.as.i;
  }
  if (is_float(value) && type_ != Type::kInt) return value.as.f;
  if (value.kind == HOB_VALUE_BOOL && type_ == Type::kScalar) return value.as.i != 0;
  refuse_value(value);
}

c10::IValue OpArgument::convert_list(const hob_value& value) const {
  const bool is_list = value.kind == HOB_VALUE_LIST && value.as.list;
  switch (type_) {
    case Type::kTensorList:
      if (!is_list || value.as.list->has_absent) break;
      return value.as.list->value;
    case Type::kOptionalTensorList:
      if (!is_list) break;
      return optional_tensors(*value.as.list);
    case Type::kIntList:
      if (value.kind == HOB_VALUE_INTS) return ints_of(value);
      if (value.kind != HOB_VALUE_INT || fixed_size_ == 0) break;
      return std::vector<int64_t>(fixed_size_, value.as.i);
    case Type::kFloatList:
      if (value.kind == HOB_VALUE_FLOATS) {
        return std::vector<double>(value.as.floats, value.as.floats + value.count);
      }
      if (value.kind != HOB_VALUE_INTS) break;
      return std::vector<double>(value.as.ints, value.as.ints + value.count);
    case Type::kBoolList: {
      if (value.kind != HOB_VALUE_INTS) break;
      c10::List<bool> result;
      for (const int64_t i : std::span(value.as.ints, value.count)) result.push_back(i != 0);
      return result;
    }
    default:
      break;
  }
  refuse_value(value);
}

void OpArgument::refuse_value(const hob_value& value) const {
  refuse("argument '" + name_ + "' is of type " + type_text_ + ", and " + describe(value) +
         " was given");
}

}  // namespace hob::host
