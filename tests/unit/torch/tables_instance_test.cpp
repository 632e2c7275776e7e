#include <ATen/ops/equal.h>
#include <ATen/ops/full.h>
#include <hob/abi/schedule.h>

#include <stdexcept>

#include "host/descriptor.h"
#include "tables_fixture.h"

using namespace hob;
using namespace hob::test;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::Equals;

namespace {

// A schedule in C: a factor from its configuration, and all kinds of state.
struct Schedule {
  double base = 0;
  at::Tensor table = at::full({2}, 7.0);
  static inline int alive = 0;
};

hob_error* create(hob_env* env, const hob_config* config, void** self) {
  hob_value base{};
  if (hob_error* error = core().config_get(config, "base", &base)) return error;
  if (base.as.f < 0) {
    const std::string text = "base must not be negative";
    return core().error_new(HOB_ERROR_INVALID, text.data(), text.size());
  }
  CHECK(core().instance_name(env) == std::string("schedule"));
  *self = new Schedule{base.as.f};
  ++Schedule::alive;
  return nullptr;
}

void destroy(void* self) {
  delete static_cast<Schedule*>(self);
  --Schedule::alive;
}

hob_error* save(void* self, hob_writer* writer) {
  auto& schedule = *static_cast<Schedule*>(self);
  static const std::vector<int64_t> ints = {1, 2};
  static const std::vector<double> floats = {0.5};
  static const char* const strings[] = {"a", "b"};
  static const std::string text = "x";
  hob_tensor* const items[] = {borrow(schedule.table), nullptr};
  hob_list* list = nullptr;
  ok(core().list_new(items, 2, &list));
  const hob_value texts = {HOB_VALUE_STRINGS, 2, {.strings = strings}};
  const std::pair<const char*, hob_value> entries[] = {{"base", value(schedule.base)},
                                                       {"table", value(schedule.table)},
                                                       {"list", value(list)},
                                                       {"on", boolean(true)},
                                                       {"ints", value(ints)},
                                                       {"floats", value(floats)},
                                                       {"texts", texts},
                                                       {"text", value(text)}};
  hob_error* error = nullptr;
  for (const auto& [name, v] : entries) {
    if (!error) error = core().write(writer, name, &v);
  }
  core().list_release(list);
  return error;
}

hob_error* load(void* self, hob_reader* reader, uint32_t version) {
  auto& schedule = *static_cast<Schedule*>(self);
  const auto get = [&](const char* name) {
    hob_value v{};
    ok(core().read(reader, name, &v));
    return v;
  };
  CHECK(version == 3);
  schedule.base = get("base").as.f;
  schedule.table = take(get("table").as.tensor);
  hob_list* list = get("list").as.list;
  hob_tensor* first = nullptr;
  hob_tensor* second = nullptr;
  CHECK(core().list_size(list) == 2);
  ok(core().list_get(list, 0, &first));
  ok(core().list_get(list, 1, &second));
  CHECK(at::equal(take(first), schedule.table));
  CHECK(second == nullptr);
  core().list_release(list);
  CHECK((get("on").kind == HOB_VALUE_INT && get("on").as.i == 1));
  CHECK((get("ints").count == 2 && get("ints").as.ints[1] == 2));
  CHECK((get("floats").count == 1 && get("floats").as.floats[0] == 0.5));
  CHECK((get("texts").count == 2 && get("texts").as.strings[1] == std::string("b")));
  CHECK(get("text").as.s == std::string("x"));
  CHECK(get("absent").kind == HOB_VALUE_NONE);
  return nullptr;
}

hob_error* factor(void* self, const char*, uint64_t update, uint64_t total, double* out) {
  if (update > total) {
    const std::string text = "beyond the end";
    return core().error_new(HOB_ERROR_FAILED, text.data(), text.size());
  }
  *out = static_cast<Schedule*>(self)->base;
  return nullptr;
}

hob_schedule schedule_table() {
  return {{sizeof(hob_schedule), 3, create, destroy, save, load, nullptr}, factor};
}

host::Instance make_schedule(const hob_schedule& table, double base, uint64_t seed = 42) {
  return host::Instance(&table.component, "cosine", "schedule", seed, nullptr, {{"base", base}});
}

}  // namespace

TEST_CASE("an instance is made, called, and destroyed once", "[tables]") {
  const hob_schedule table = schedule_table();
  {
    const host::Instance instance = make_schedule(table, 0.25);
    CHECK(Schedule::alive == 1);
    double out = 0;
    instance.call(&hob_schedule::factor, "lr", 3, 10, &out);
    CHECK(out == 0.25);
    CHECK_THROWS_WITH(instance.call(&hob_schedule::factor, "lr", 11, 10, &out),
                      "schedule (cosine): beyond the end");
  }
  CHECK(Schedule::alive == 0);
}

TEST_CASE("a refused configuration names the instance, and nothing is destroyed", "[tables]") {
  const hob_schedule table = schedule_table();
  try {
    make_schedule(table, -1);
    FAIL("it was made");
  } catch (const host::PluginError& error) {
    CHECK_THAT(error.what(), Equals("schedule (cosine): base must not be negative"));
    CHECK(error.code() == HOB_ERROR_INVALID);
    CHECK(error.fault() == Fault::kUsage);
  }
  CHECK(Schedule::alive == 0);
}

TEST_CASE("an instance's seed depends on the run's seed and on its name alone", "[tables]") {
  const hob_schedule table = schedule_table();
  const uint64_t seed = make_schedule(table, 1).seed();
  CHECK(seed == make_schedule(table, 2).seed());
  CHECK(seed != make_schedule(table, 1, 43).seed());
  const auto named = [](hob_env*, const hob_config*, void**) -> hob_error* { return nullptr; };
  const hob_component_table other = {
      sizeof(hob_component_table), 1, named, [](void*) {}, nullptr, nullptr, nullptr};
  const host::Instance a(&other, "x", "callback.0", 42, nullptr, {});
  const host::Instance b(&other, "x", "callback.1", 42, nullptr, {});
  CHECK(a.seed() != b.seed());
}

TEST_CASE("an instance's state returns as it was saved", "[tables]") {
  const hob_schedule table = schedule_table();
  const host::Instance first = make_schedule(table, 0.125);
  const host::State state = first.save();
  CHECK(state.version == 3);
  host::Instance other = make_schedule(table, 1);
  other.load(state);
  double out = 0;
  other.call(&hob_schedule::factor, "lr", 0, 1, &out);
  CHECK(out == 0.125);
}

TEST_CASE("a state of a newer version is refused, and none is nothing to load", "[tables]") {
  const hob_schedule table = schedule_table();
  host::Instance instance = make_schedule(table, 1);
  host::State state = instance.save();
  state.version = 4;
  CHECK_THROWS_WITH(
      instance.load(state),
      ContainsSubstring("schedule (cosine): the saved state is of version 4, and this "
                        "plugin reads up to 3"));
  CHECK_NOTHROW(instance.load(host::State{}));

  hob_schedule stateless = schedule_table();
  stateless.component.save = nullptr;
  stateless.component.load = nullptr;
  CHECK(make_schedule(stateless, 1).save().version == 0);
}

TEST_CASE("a state's names are checked, and written once", "[tables]") {
  hob_schedule table = schedule_table();
  const auto save_as = [](const char* name) {
    static const char* wanted;
    wanted = name;
    return +[](void*, hob_writer* writer) -> hob_error* {
      const hob_value v = value(int64_t{1});
      if (hob_error* error = core().write(writer, "same", &v)) return error;
      return core().write(writer, wanted, &v);
    };
  };
  for (const auto& [name, text] :
       {std::pair{"same", "'same' is written twice"}, std::pair{"", "cannot be named"},
        std::pair{"a[0]", "no brackets"}}) {
    table.component.save = save_as(name);
    CHECK_THROWS_WITH(make_schedule(table, 1).save(), ContainsSubstring(text));
  }
  table.component.save = [](void*, hob_writer* writer) {
    const hob_value v = none();
    return core().write(writer, "nothing", &v);
  };
  CHECK_THROWS_WITH(make_schedule(table, 1).save(), ContainsSubstring("cannot be saved"));
}

TEST_CASE("a destroy that throws is logged and stopped there", "[tables]") {
  hob_schedule table = schedule_table();
  table.component.destroy = [](void* self) {
    destroy(self);
    throw std::runtime_error("too late");
  };
  const LogCapture log;
  CHECK_NOTHROW(make_schedule(table, 1));
  REQUIRE(log.lines().size() == 1);
  CHECK(log.lines()[0].second == "error: schedule (cosine) threw when it was destroyed: too late");
  CHECK(Schedule::alive == 0);
}

TEST_CASE("a component's table is checked for what its kind needs", "[tables]") {
  recipe::ComponentSchema schema;
  schema.kind = "schedule";
  schema.name = "cosine";
  schema.interface = "hob.schedule/1";
  hob_schedule table = schedule_table();
  const hob_component component = {sizeof(hob_component), 0, "schedule", "cosine", "hob.schedule/1",
                                   &table.component};
  CHECK(host::check_component(schema, component).empty());
  table.component.load = nullptr;
  CHECK(host::check_component(schema, component) == "it has save but no load");
  table.component.save = nullptr;
  table.component.state_version = 0;
  CHECK(host::check_component(schema, component).empty());
  table.factor = nullptr;
  CHECK(host::check_component(schema, component) == "factor is NULL");
  table.component.struct_size = sizeof(hob_component_table);
  CHECK_THAT(host::check_component(schema, component), ContainsSubstring("struct_size is 48"));
  schema.interface = "hob.schedule/9";
  CHECK_THAT(host::check_component(schema, component), ContainsSubstring("hob.schedule/9"));
}

TEST_CASE("every kind of component that hob runs is known", "[tables]") {
  const std::vector<std::string> ids = host::component_interfaces();
  CHECK(ids.size() == 12);
  for (const std::string& id : ids) {
    // An empty table must be found wanting by every kind.
    recipe::ComponentSchema schema;
    schema.interface = id;
    alignas(16) unsigned char bytes[1024] = {};
    auto* table = reinterpret_cast<hob_component_table*>(bytes);
    table->struct_size = sizeof(bytes);
    const hob_component component = {sizeof(hob_component), 0, "", "", id.c_str(), table};
    CHECK_THAT(host::check_component(schema, component), ContainsSubstring("is NULL"));
  }
}

TEST_CASE("the LibTorch that hob is linked with is known", "[tables]") {
  const host::TorchBuild build = host::torch_build();
  CHECK(build.version == HOB_TORCH_VERSION);
  CHECK(build.cxx11_abi == 1);
}
