/* Generated from sdk/spec.toml by sdk/tools/generate_abi.py: edit the spec. */
/* Handles, values and error codes that every other header uses. */
#ifndef HOB_ABI_TYPES_H
#define HOB_ABI_TYPES_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define HOB_ABI_MAJOR 1
#define HOB_ABI_MINOR 0

/* A tensor; for a native plugin it is LibTorch's AtenTensorHandle (an at::Tensor*). */
typedef struct hob_tensor hob_tensor;

/* A list of tensors that the host keeps ready for operators; immutable, reference-counted. */
typedef struct hob_list hob_list;

/* What went wrong. NULL is success. Whoever receives one frees it or passes it on. */
typedef struct hob_error hob_error;

/* An operator that was looked up; valid for ever. */
typedef struct hob_op hob_op;

/* The run and the instance that a call belongs to. Given to create; valid until destroy. */
typedef struct hob_env hob_env;

/* The resolved parameters of one instance, defaults filled in and checked against the descriptor. */
typedef struct hob_config hob_config;

/* Where an instance writes its state. */
typedef struct hob_writer hob_writer;

/* Where an instance reads its state. */
typedef struct hob_reader hob_reader;

/* Codes of hob_error. */
enum hob_error_code {
  HOB_ERROR_FAILED = 1, /* the operation failed */
  HOB_ERROR_INVALID = 2, /* an argument or a parameter is wrong: the recipe or the caller is to blame */
  HOB_ERROR_UNSUPPORTED = 3, /* not offered here */
  HOB_ERROR_DATA = 4, /* a sample cannot be read; the recipe says whether it may be skipped */
  HOB_ERROR_OUT_OF_MEMORY = 5, /* memory ran out; the window may be replayed with less */
};

/* Element types; the numbers are LibTorch's ScalarType. */
enum hob_dtype {
  HOB_UINT8 = 0,
  HOB_INT8 = 1,
  HOB_INT16 = 2,
  HOB_INT32 = 3,
  HOB_INT64 = 4,
  HOB_FLOAT16 = 5,
  HOB_FLOAT32 = 6,
  HOB_FLOAT64 = 7,
  HOB_BOOL = 11,
  HOB_BFLOAT16 = 15,
  HOB_FLOAT8_E5M2 = 23,
  HOB_FLOAT8_E4M3FN = 24,
};

/* Kinds of hob_value. */
enum hob_value_kind {
  HOB_VALUE_NONE = 0, /* an absent optional */
  HOB_VALUE_TENSOR = 1, /* as.tensor */
  HOB_VALUE_LIST = 2, /* as.list */
  HOB_VALUE_INT = 3, /* as.i */
  HOB_VALUE_FLOAT = 4, /* as.f */
  HOB_VALUE_BOOL = 5, /* as.i is 0 or 1 */
  HOB_VALUE_STRING = 6, /* as.s, count bytes, and a NUL after them */
  HOB_VALUE_INTS = 7, /* as.ints, count of them */
  HOB_VALUE_FLOATS = 8, /* as.floats, count of them */
  HOB_VALUE_STRINGS = 9, /* as.strings, count of them, each NUL-terminated */
  HOB_VALUE_SCALAR_INT = 10, /* as.i, for an operator's Scalar */
  HOB_VALUE_SCALAR_FLOAT = 11, /* as.f, for an operator's Scalar */
  HOB_VALUE_DTYPE = 12, /* as.i is a hob_dtype */
};

/* The content of a hob_value; its kind says which member holds. */
typedef union hob_payload {
  int64_t i;
  double f;
  const char* s;
  hob_tensor* tensor;
  hob_list* list;
  const int64_t* ints;
  const double* floats;
  const char* const* strings;
} hob_payload;

typedef struct hob_value hob_value;
/* A tagged value. Fixed for ever: it never grows. */
struct hob_value {
  uint32_t kind; /* hob_value_kind */
  uint32_t count; /* elements of a string or an array */
  hob_payload as;
};

typedef struct hob_named_tensor hob_named_tensor;
/* A tensor with its name. Fixed for ever: it never grows. */
struct hob_named_tensor {
  const char* name; /* "image", "label", "logits" */
  hob_tensor* tensor;
};

#ifdef __cplusplus
}
#endif

#endif
