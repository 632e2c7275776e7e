#include <ATen/ops/empty.h>

#include <cstring>
#include <string>
#include <vector>

#include "base/log.h"
#include "base/text.h"
#include "host/tables/guard.h"
#include "host/tables/instance.h"
#include "host/tables/list.h"
#include "host/tables/state_io.h"
#include "host/tables/tables.h"

// hob.core/1: errors, logs, parameters of the recipe, state, and tensors.

namespace hob::host {
namespace {

void error_where(hob_error* error, const char* place) {
  guard([&] {
    if (error && place) add_place(*error, place);
  });
}

void write_log(hob_env* env, int32_t level, const char* text, size_t size) {
  guard([&] {
    const std::string who = env ? env->instance + ": " : "";
    const std::string line = who + std::string(text, size);
    if (level >= 3) {
      log::error(line);
    } else if (level == 2) {
      log::warn(line);
    } else {
      log::info(line);
    }
  });
}

hob_error* config_get(const hob_config* config, const char* key, hob_value* out) {
  return guard([&] {
    const hob_value* value = config->find(key);
    if (!value) {
      const std::vector<std::string> keys = config->keys();
      refuse("the plugin asks for a parameter " + quote(key) +
             " that its descriptor does not declare; declared are " + quote_all(keys) +
             did_you_mean(key, keys));
    }
    *out = *value;
  });
}

bool is_hob_dtype(int32_t dtype) {
  switch (dtype) {
    case HOB_UINT8:
    case HOB_INT8:
    case HOB_INT16:
    case HOB_INT32:
    case HOB_INT64:
    case HOB_FLOAT16:
    case HOB_FLOAT32:
    case HOB_FLOAT64:
    case HOB_BOOL:
    case HOB_BFLOAT16:
    case HOB_FLOAT8_E5M2:
    case HOB_FLOAT8_E4M3FN:
      return true;
    default:
      return false;
  }
}

int64_t tensor_size(const hob_tensor* tensor, int64_t dim) {
  const at::Tensor& t = tensor_of(tensor);
  return dim >= 0 && dim < t.dim() ? t.size(dim) : -1;
}

hob_error* tensor_read(const hob_tensor* tensor, void* out, size_t bytes) {
  return guard([&] {
    const at::Tensor& t = tensor_of(tensor);
    if (bytes != t.nbytes()) {
      refuse("reading a tensor of " + std::to_string(t.nbytes()) + " bytes into memory of " +
             std::to_string(bytes) + "; both must be the same");
    }
    if (bytes == 0) return;
    const at::Tensor host = t.detach().cpu().contiguous();  // sync: the caller wants the values
    std::memcpy(out, host.const_data_ptr(), bytes);
  });
}

hob_error* tensor_from(const void* data, int32_t dtype, const int64_t* sizes, uint32_t dim,
                       hob_tensor** out) {
  return guard([&] {
    if (!is_hob_dtype(dtype))
      refuse("a tensor of dtype " + std::to_string(dtype) + ": no hob_dtype");
    const at::IntArrayRef shape(sizes, dim);
    const auto options = at::TensorOptions(static_cast<at::ScalarType>(dtype)).device(at::kCPU);
    at::Tensor result = at::empty(shape, options);
    if (result.nbytes() > 0) {
      if (!data) refuse("a tensor from NULL data");
      std::memcpy(result.mutable_data_ptr(), data, result.nbytes());
    }
    *out = give(std::move(result));
  });
}

hob_error* list_new(hob_tensor* const* tensors, uint32_t count, hob_list** out) {
  return guard([&] {
    std::vector<at::Tensor> items(count);
    for (uint32_t i = 0; i < count; ++i) {
      if (tensors[i]) items[i] = tensor_of(tensors[i]);
    }
    *out = make_list(std::move(items));
  });
}

hob_list* list_retain(hob_list* list) {
  list->references.fetch_add(1, std::memory_order_relaxed);
  return list;
}

hob_error* list_get(const hob_list* list, uint32_t index, hob_tensor** out) {
  return guard([&] {
    if (index >= list->size()) {
      refuse("element " + std::to_string(index) + " of a list of " + std::to_string(list->size()));
    }
    const at::Tensor& t = list->at(index);
    *out = t.defined() ? give(t) : nullptr;
  });
}

}  // namespace

const hob_core kCoreTable = {
    .struct_size = sizeof(hob_core),
    .reserved = 0,
    .error_new =
        [](int32_t code, const char* text, size_t size) noexcept {
          return new_error(code, {text, size});
        },
    .error_code = [](const hob_error* error) noexcept { return error->code; },
    .error_text = [](const hob_error* error) noexcept { return error->text.c_str(); },
    .error_where = error_where,
    .error_free = free_error,
    .log = write_log,
    .instance_name = [](const hob_env* env) noexcept { return env->instance.c_str(); },
    .instance_seed = [](const hob_env* env) noexcept { return env->seed; },
    .config_get = config_get,
    .write =
        [](hob_writer* writer, const char* name, const hob_value* value) noexcept {
          return guard([&] { writer->write(name, *value); });
        },
    .read = [](hob_reader* reader, const char* name,
               hob_value* out) noexcept { return guard([&] { *out = reader->read(name); }); },
    .tensor_retain = [](hob_tensor* tensor) noexcept { return give(tensor_of(tensor)); },
    .tensor_release =
        [](hob_tensor* tensor) noexcept {
          if (tensor) delete &tensor_of(tensor);
        },
    .tensor_dim = [](const hob_tensor* tensor) noexcept { return tensor_of(tensor).dim(); },
    .tensor_size = tensor_size,
    .tensor_numel = [](const hob_tensor* tensor) noexcept { return tensor_of(tensor).numel(); },
    .tensor_dtype =
        [](const hob_tensor* tensor) noexcept {
          return static_cast<int32_t>(tensor_of(tensor).scalar_type());
        },
    .tensor_read = tensor_read,
    .tensor_from = tensor_from,
    .list_new = list_new,
    .list_retain = list_retain,
    .list_release = release_list,
    .list_size = [](const hob_list* list) noexcept { return list->size(); },
    .list_get = list_get,
};

}  // namespace hob::host
