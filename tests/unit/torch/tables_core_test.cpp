#include <ATen/ops/arange.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>

#include "tables_fixture.h"

using namespace hob;
using namespace hob::test;

TEST_CASE("an error keeps its code and its text, and the innermost place", "[tables]") {
  const std::string text = "bad sample";
  hob_error* error = core().error_new(HOB_ERROR_DATA, text.data(), text.size());
  core().error_where(error, "layer 'a'");
  core().error_where(error, "layer 'b'");
  CHECK(core().error_code(error) == HOB_ERROR_DATA);
  CHECK(core().error_text(error) == std::string("bad sample [layer 'a']"));
  core().error_free(error);
  core().error_free(nullptr);
}

TEST_CASE("a tensor crosses to host memory and back, row-major", "[tables]") {
  const at::Tensor t = at::arange(6, at::kInt).reshape({2, 3}).t();  // (3, 2), not contiguous
  const hob_tensor* handle = borrow(t);
  CHECK(core().tensor_dim(handle) == 2);
  CHECK(core().tensor_size(handle, 0) == 3);
  CHECK(core().tensor_size(handle, 2) == -1);
  CHECK(core().tensor_size(handle, -1) == -1);
  CHECK(core().tensor_numel(handle) == 6);
  CHECK(core().tensor_dtype(handle) == HOB_INT32);

  std::vector<int32_t> read(6);
  ok(core().tensor_read(handle, read.data(), sizeof(int32_t) * 6));
  CHECK(read == std::vector<int32_t>{0, 3, 1, 4, 2, 5});
  fails(core().tensor_read(handle, read.data(), 20), HOB_ERROR_INVALID,
        "24 bytes into memory of 20");

  hob_tensor* made = nullptr;
  const int64_t sizes[] = {3, 2};
  ok(core().tensor_from(read.data(), HOB_INT32, sizes, 2, &made));
  CHECK(at::equal(take(made), t));
}

TEST_CASE("a tensor of a wrong type or shape is refused", "[tables]") {
  const int64_t sizes[] = {2}, negative[] = {-1};
  const float data[2] = {};
  hob_tensor* out = nullptr;
  fails(core().tensor_from(data, 99, sizes, 1, &out), HOB_ERROR_INVALID, "dtype 99");
  fails(core().tensor_from(nullptr, HOB_FLOAT32, sizes, 1, &out), HOB_ERROR_INVALID, "NULL data");
  fails(core().tensor_from(data, HOB_FLOAT32, negative, 1, &out), HOB_ERROR_FAILED, "-1");
  CHECK(out == nullptr);
}

TEST_CASE("memory that cannot be had is its own code", "[tables]") {
  const int64_t sizes[] = {int64_t{1} << 50};
  const char data = 0;
  hob_tensor* out = nullptr;
  fails(core().tensor_from(&data, HOB_UINT8, sizes, 1, &out), HOB_ERROR_OUT_OF_MEMORY, "allocate");
}

TEST_CASE("a list holds its tensors, and an absent one", "[tables]") {
  at::Tensor a = at::ones({2});
  const size_t before = a.use_count();
  hob_tensor* const items[] = {borrow(a), nullptr};
  hob_list* list = nullptr;
  ok(core().list_new(items, 2, &list));
  CHECK(core().list_size(list) == 2);
  CHECK(a.use_count() == before + 1);

  hob_tensor* out = nullptr;
  ok(core().list_get(list, 0, &out));
  CHECK(take(out).is_same(a));
  ok(core().list_get(list, 1, &out));
  CHECK(out == nullptr);
  fails(core().list_get(list, 2, &out), HOB_ERROR_INVALID, "element 2 of a list of 2");

  CHECK(core().list_retain(list) == list);
  core().list_release(list);
  CHECK(a.use_count() == before + 1);
  core().list_release(list);
  CHECK(a.use_count() == before);
  core().list_release(nullptr);
}

TEST_CASE("a tensor's reference is retained and released", "[tables]") {
  const at::Tensor t = at::ones({1});
  hob_tensor* second = core().tensor_retain(borrow(t));
  CHECK(t.use_count() == 2);
  core().tensor_release(second);
  CHECK(t.use_count() == 1);
  core().tensor_release(nullptr);
}

TEST_CASE("a configuration gives each type of parameter, and names an unknown key", "[tables]") {
  const hob_config config({{"flag", true},
                           {"count", int64_t{3}},
                           {"decay", 0.5},
                           {"mode", std::string("fast")},
                           {"sizes", std::vector<int64_t>{1, 2}},
                           {"betas", std::vector<double>{0.9}},
                           {"names", std::vector<std::string>{"a", "bc"}},
                           {"empty", std::vector<double>{}}});
  const auto get = [&](const char* key) {
    hob_value v{};
    ok(core().config_get(&config, key, &v));
    return v;
  };
  CHECK((get("flag").kind == HOB_VALUE_BOOL && get("flag").as.i == 1));
  CHECK((get("count").kind == HOB_VALUE_INT && get("count").as.i == 3));
  CHECK((get("decay").kind == HOB_VALUE_FLOAT && get("decay").as.f == 0.5));
  CHECK((get("mode").kind == HOB_VALUE_STRING && get("mode").as.s == std::string("fast")));
  CHECK((get("sizes").kind == HOB_VALUE_INTS && get("sizes").as.ints[1] == 2));
  CHECK((get("betas").kind == HOB_VALUE_FLOATS && get("betas").as.floats[0] == 0.9));
  CHECK((get("names").count == 2 && get("names").as.strings[1] == std::string("bc")));
  CHECK(get("names").as.strings == get("names").as.strings);
  CHECK(get("empty").count == 0);
  hob_value v{};
  fails(core().config_get(&config, "decai", &v), HOB_ERROR_INVALID, "did you mean 'decay'");
}

TEST_CASE("what an instance logs carries its name", "[tables]") {
  const LogCapture log;
  Run run;
  core().log(&run.lora, 1, "starts", 6);
  core().log(&run.lora, 2, "hm", 2);
  core().log(nullptr, 3, "oh", 2);
  const auto& lines = log.lines();
  REQUIRE(lines.size() == 3);
  CHECK((lines[0].first == log::Level::kInfo && lines[1].first == log::Level::kWarning));
  CHECK(lines[2].first == log::Level::kError);
  CHECK(lines[0].second == "compression.0: starts");
  CHECK(lines[1].second == "warning: compression.0: hm");
  CHECK(lines[2].second == "error: oh");
}

TEST_CASE("the host answers for the tables it lists, and for no other", "[tables]") {
  const hob_host* table = host::host_table();
  CHECK(table->struct_size == sizeof(hob_host));
  CHECK(table->abi_major == HOB_ABI_MAJOR);
  const std::vector<std::string> ids = host::host_interfaces();
  CHECK(ids.size() == 7);
  for (const std::string& id : ids) CHECK(table->interface(id.c_str()) != nullptr);
  CHECK(table->interface("hob.core/2") == nullptr);
  CHECK(table->interface(nullptr) == nullptr);
}

TEST_CASE("what is not on a CUDA device has no stream and no device pointer", "[tables]") {
  const at::Tensor t = at::ones({1});
  CHECK(cuda().device_of(borrow(t)) == -1);
  void* out = nullptr;
#ifdef HOB_CUDA
  fails(cuda().data(borrow(t), &out), HOB_ERROR_INVALID, "the tensor is on cpu");
  fails(cuda().stream(99, &out), HOB_ERROR_INVALID, "there is no CUDA device 99");
  fails(cuda().stream(-1, &out), HOB_ERROR_INVALID, "there is no CUDA device -1");
#else
  fails(cuda().data(borrow(t), &out), HOB_ERROR_UNSUPPORTED, "built without CUDA");
  fails(cuda().stream(0, &out), HOB_ERROR_UNSUPPORTED, "built without CUDA");
#endif
}
