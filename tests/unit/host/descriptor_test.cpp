#include "host/descriptor.h"

#include "base/error.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <string>
#include <vector>

namespace {

using Catch::Matchers::ContainsSubstring;
using hob::Error;
using hob::host::ElfFile;
using hob::host::PluginDescriptor;
using hob::host::read_descriptor;
using hob::host::Tier;
using hob::recipe::ParamType;

PluginDescriptor read_json(const std::string& json) {
  ElfFile elf;
  elf.notes = {{"GNU", 3, "build id"}, {"hob", 1, json}};
  return read_descriptor(elf);
}

std::string refusal(const ElfFile& elf) {
  try {
    read_descriptor(elf);
    return "accepted";
  } catch (const Error& error) {
    CHECK(error.fault() == hob::Fault::kPlugin);
    return error.what();
  }
}

std::string refusal(const std::string& json) {
  ElfFile elf;
  elf.notes = {{"hob", 1, json}};
  return refusal(elf);
}

// A descriptor with one component, whose keys beyond the required ones are given.
std::string with_component(const std::string& more) {
  return R"({"format":1,"id":"org.x.y","version":"1.0.0","sdk":[1,0],"components":[)"
         R"({"kind":"optimizer","name":"y","interface":"hob.optimizer/1")" +
         (more.empty() ? "" : "," + more) + "}]}";
}

std::string with_param(const std::string& param) {
  return with_component("\"params\":[" + param + "]");
}

TEST_CASE("a descriptor is read with every key", "[host]") {
  const PluginDescriptor plugin = read_json(R"({
    "format": 1, "id": "org.example.signsgd", "version": "1.2.0", "sdk": [1, 3],
    "a_key_of_the_future": {"any": ["thing"]},
    "components": [{
      "kind": "optimizer", "name": "signsgd", "interface": "hob.optimizer/1",
      "summary": "Steps by the sign", "traits": ["weight_decay"], "provides": ["sign"],
      "needs": ["scaling"], "conflicts": ["master_weights"],
      "params": [
        {"name": "scale", "type": "float", "default": 1, "min": 0, "min_open": true, "max": 10,
         "unit": "1/s", "help": "factor", "numerics": false, "may_change_on_resume": true},
        {"name": "mode", "type": "string", "choices": ["a", "b"], "default": "b"},
        {"name": "room", "type": "size", "default": 1048576},
        {"name": "betas", "type": "float_list", "default": [0.9, 1], "min": 0, "max": 1},
        {"name": "steps", "type": "int_list"}]}]})");
  CHECK(plugin.id == "org.example.signsgd");
  CHECK(plugin.version == "1.2.0");
  CHECK(plugin.sdk_major == 1);
  CHECK(plugin.sdk_minor == 3);
  CHECK(plugin.tier == Tier::kStable);
  CHECK_FALSE(plugin.torch);
  REQUIRE(plugin.components.size() == 1);
  const auto& component = plugin.components[0];
  CHECK(component.plugin_id == "org.example.signsgd");
  CHECK(component.plugin_version == "1.2.0");
  CHECK(component.kind == "optimizer");
  CHECK(component.name == "signsgd");
  CHECK(component.interface == "hob.optimizer/1");
  CHECK(component.summary == "Steps by the sign");
  CHECK(component.traits == std::vector<std::string>{"weight_decay"});
  CHECK(component.provides == std::vector<std::string>{"sign"});
  CHECK(component.needs == std::vector<std::string>{"scaling"});
  CHECK(component.conflicts == std::vector<std::string>{"master_weights"});

  REQUIRE(component.params.size() == 5);
  const auto& scale = component.params[0];
  CHECK(scale.type == ParamType::kFloat);
  CHECK(std::get<double>(*scale.default_value) == 1.0);
  CHECK(scale.min == 0.0);
  CHECK(scale.min_open);
  CHECK(scale.max == 10.0);
  CHECK_FALSE(scale.max_open);
  CHECK(scale.unit == "1/s");
  CHECK(scale.help == "factor");
  CHECK_FALSE(scale.numerics);
  CHECK(scale.may_change_on_resume);
  CHECK(component.params[1].choices == std::vector<std::string>{"a", "b"});
  CHECK(std::get<std::string>(*component.params[1].default_value) == "b");
  CHECK(std::get<std::int64_t>(*component.params[2].default_value) == 1048576);
  CHECK(std::get<std::vector<double>>(*component.params[3].default_value) ==
        std::vector<double>{0.9, 1.0});
  CHECK_FALSE(component.params[4].default_value);
  CHECK(component.params[4].numerics);
}

TEST_CASE("the other notes are collected without duplicates", "[host]") {
  ElfFile elf;
  const std::string torch = R"({"version":"2.11.0","git":"70d9","cuda":"13.0","cxx11_abi":1})";
  elf.notes = {{"hob", 3, std::string("hob.ops/1\0", 10)},
               {"hob", 2, "aten::sign(Tensor self) -> Tensor"},
               {"hob", 3, "hob.core/1"},
               {"hob", 2, "aten::sign(Tensor self) -> Tensor"},
               {"hob", 3, "hob.ops/1"},
               {"hob", 4, torch},
               {"hob", 4, torch},
               {"hob", 99, "of the future"},
               {"hob", 1, with_component("") + '\0'}};
  const PluginDescriptor plugin = read_descriptor(elf);
  CHECK(plugin.operator_schemas == std::vector<std::string>{"aten::sign(Tensor self) -> Tensor"});
  CHECK(plugin.host_interfaces == std::vector<std::string>{"hob.core/1", "hob.ops/1"});
  CHECK(plugin.tier == Tier::kNative);
  CHECK(plugin.torch == hob::host::TorchBuild{"2.11.0", "70d9", "13.0", 1});
}

TEST_CASE("notes that contradict each other are refused", "[host]") {
  ElfFile elf;
  elf.notes = {{"hob", 1, with_component("")}, {"hob", 1, with_component("")}};
  CHECK_THAT(refusal(elf), ContainsSubstring("two descriptors"));
  elf.notes = {{"hob", 3, "hob.core/1"}};
  CHECK_THAT(refusal(elf), ContainsSubstring("no descriptor: HOB_PLUGIN is missing"));
  elf.notes = {{"hob", 1, with_component("")},
               {"hob", 4, R"({"version":"2.11.0","git":"a","cuda":"","cxx11_abi":1})"},
               {"hob", 4, R"({"version":"2.11.0","git":"b","cuda":"","cxx11_abi":1})"}};
  CHECK_THAT(refusal(elf), ContainsSubstring("different builds of LibTorch"));
  elf.notes = {{"hob", 1, with_component("")}, {"hob", 4, R"({"version":"2.11.0"})"}};
  CHECK_THAT(refusal(elf), ContainsSubstring("LibTorch note: the key \"git\" is missing"));
  elf.notes = {{"hob", 1, with_component("")}, {"hob", 2, "a\nb"}};
  CHECK_THAT(refusal(elf), ContainsSubstring("operator note: expected one line"));
  elf.notes = {{"hob", 1, with_component("")}, {"hob", 2, std::string((1 << 20) + 1, 'a')}};
  CHECK_THAT(refusal(elf), ContainsSubstring("has 1048577 bytes, at most 1048576 are allowed"));
}

TEST_CASE("JSON that is not valid is refused", "[host]") {
  CHECK_THAT(refusal(""), ContainsSubstring("descriptor: not valid JSON"));
  CHECK_THAT(refusal("{\"format\":1,}"), ContainsSubstring("descriptor: not valid JSON"));
  CHECK_THAT(refusal(with_component("") + "x"), ContainsSubstring("not valid JSON"));
  CHECK_THAT(refusal(with_component("\"summary\":\"\xff\"")), ContainsSubstring("not valid JSON"));
  CHECK_THAT(refusal(with_param(R"({"name":"a","type":"float","default":1e999})")),
             ContainsSubstring("not valid JSON"));
  CHECK_THAT(refusal(with_component("\"name\":\"z\"")),
             ContainsSubstring("the key \"name\" stands twice"));
  CHECK_THAT(refusal(std::string(100'000, '[')), ContainsSubstring("nested too deeply"));
  CHECK_THAT(refusal("[]"), ContainsSubstring("descriptor: found [], expected an object"));
}

TEST_CASE("a wrong value in a descriptor is named with its place", "[host]") {
  CHECK_THAT(refusal(R"({"format":2})"),
             ContainsSubstring("descriptor: format: found 2, this hob reads format 1"));
  CHECK_THAT(refusal(R"({"format":1,"id":"a b"})"),
             ContainsSubstring("id: found \"a b\", expected the like of \"org.example.signsgd\""));
  CHECK_THAT(refusal(R"({"format":1,"id":"a","version":7})"),
             ContainsSubstring("version: found 7, expected a string"));
  CHECK_THAT(refusal(R"({"format":1,"id":"a","version":"1","sdk":[1]})"),
             ContainsSubstring("sdk: expected two integers"));
  CHECK_THAT(refusal(R"({"format":1,"id":"a","version":"1","sdk":[1,-1]})"),
             ContainsSubstring("sdk[1]: not a version number"));
  CHECK_THAT(refusal(R"({"format":1,"id":"a","version":"1","sdk":[1,0.5]})"),
             ContainsSubstring("sdk[1]: found 0.5, expected a 64-bit integer"));
  CHECK_THAT(refusal(R"({"format":1,"id":"a","version":"1","sdk":[1,0],"components":[]})"),
             ContainsSubstring("components: a plugin has at least one component"));
  CHECK_THAT(refusal(with_component("\"summary\":\"two\\nlines\"")),
             ContainsSubstring("components[0].summary: found \"two\\nlines\", expected one line"));
  CHECK_THAT(refusal(with_component("\"traits\":[\"Weight-Decay\"]")),
             ContainsSubstring("components[0].traits[0]: found \"Weight-Decay\", expected a name"));
  CHECK_THAT(refusal(with_component("\"traits\":\"weight_decay\"")),
             ContainsSubstring("components[0].traits: found \"weight_decay\", expected a list"));
}

TEST_CASE("a component must be of one kind and one interface, and named once", "[host]") {
  const auto with = [](const std::string& components) {
    return R"({"format":1,"id":"a","version":"1","sdk":[1,0],"components":[)" + components + "]}";
  };
  const std::string one = R"({"kind":"optimizer","name":"y","interface":"hob.optimizer/1"})";
  const std::string of_schedule = R"({"kind":"schedule","name":"y","interface":"hob.schedule/1"})";
  CHECK(read_json(with(one + "," + of_schedule)).components.size() == 2);
  CHECK_THAT(refusal(with(one + "," + one)),
             ContainsSubstring("components[1]: a second optimizer named \"y\""));
  CHECK_THAT(refusal(with(R"({"kind":"optimizer","name":"y","interface":"hob.schedule/1"})")),
             ContainsSubstring("expected an interface of optimizer, \"hob.optimizer/N\""));
  CHECK_THAT(refusal(with(R"({"kind":"optimizer","name":"y","interface":"hob.optimizer/one"})")),
             ContainsSubstring("expected the like of \"hob.optimizer/1\""));
  CHECK_THAT(refusal(with(R"({"kind":"optimizer","name":"","interface":"hob.optimizer/1"})")),
             ContainsSubstring("components[0].name: found \"\", expected a name"));
  CHECK_THAT(refusal(with(R"({"kind":"optimizer","interface":"hob.optimizer/1"})")),
             ContainsSubstring("components[0]: the key \"name\" is missing"));
}

TEST_CASE("a parameter's own declaration must hold together", "[host]") {
  const auto why = [](const std::string& param) { return refusal(with_param(param)); };
  CHECK_THAT(why(R"({"name":"a","type":"double"})"),
             ContainsSubstring("components[0].params[0].type: found \"double\", expected one of "
                               "bool, int, float, string, path, size, int_list, float_list, "
                               "string_list"));
  CHECK_THAT(why(R"({"name":"a","type":"int"},{"name":"a","type":"int"})"),
             ContainsSubstring("params[1]: a second parameter named \"a\""));
  CHECK_THAT(why(R"({"name":"a","type":"int","default":1.0})"),
             ContainsSubstring("default: found 1.0, expected a 64-bit integer"));
  CHECK_THAT(why(R"({"name":"a","type":"int","default":9223372036854775808})"),
             ContainsSubstring("expected a 64-bit integer"));
  CHECK_THAT(why(R"({"name":"a","type":"float","default":true})"),
             ContainsSubstring("default: found true, expected a number"));
  CHECK_THAT(why(R"({"name":"a","type":"bool","default":1})"),
             ContainsSubstring("default: found 1, expected true or false"));
  CHECK_THAT(why(R"({"name":"a","type":"size","default":-1})"),
             ContainsSubstring("default: a size is not negative"));
  CHECK_THAT(why(R"({"name":"a","type":"float","min":0,"min_open":true,"default":0})"),
             ContainsSubstring("default: the default is outside of the parameter's own range"));
  CHECK_THAT(why(R"({"name":"a","type":"float_list","max":1,"default":[0.5,2]})"),
             ContainsSubstring("default[1]: the default is outside"));
  CHECK_THAT(why(R"({"name":"a","type":"float","min":2,"max":1})"),
             ContainsSubstring("params[0]: no number lies between its min and its max"));
  CHECK_THAT(why(R"({"name":"a","type":"string","min":2})"),
             ContainsSubstring("min: only numbers and lists of numbers have a range"));
  CHECK_THAT(why(R"({"name":"a","type":"int","choices":["1"]})"),
             ContainsSubstring("choices[0]: only strings and lists of strings have choices"));
  CHECK_THAT(why(R"({"name":"a","type":"string","choices":["x"],"default":"y"})"),
             ContainsSubstring("the default \"y\" is none of the parameter's own choices"));
}

}  // namespace
