#include "host/descriptor.h"

#include "base/error.h"
#include "host/descriptor_node.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <functional>
#include <limits>
#include <set>
#include <string_view>
#include <utility>

namespace hob::host {
namespace {

using recipe::ComponentSchema;
using recipe::ParamSchema;
using recipe::ParamType;
using recipe::Value;

constexpr std::string_view kOwner = "hob";
constexpr std::uint32_t kDescriptorNote = 1;
constexpr std::uint32_t kOperatorNote = 2;
constexpr std::uint32_t kInterfaceNote = 3;
constexpr std::uint32_t kTorchNote = 4;
constexpr std::size_t kMaxNoteBytes = 1 << 20;
constexpr std::int64_t kFormat = 1;

constexpr std::array<std::pair<std::string_view, ParamType>, 9> kTypes = {{
    {"bool", ParamType::kBool},
    {"int", ParamType::kInt},
    {"float", ParamType::kFloat},
    {"string", ParamType::kString},
    {"path", ParamType::kPath},
    {"size", ParamType::kSize},
    {"int_list", ParamType::kIntList},
    {"float_list", ParamType::kFloatList},
    {"string_list", ParamType::kStringList},
}};

[[noreturn]] void fail(const std::string& what) {
  throw Error(Fault::kPlugin, what);
}

bool takes_range(ParamType type) {
  return type == ParamType::kInt || type == ParamType::kFloat || type == ParamType::kSize ||
         type == ParamType::kIntList || type == ParamType::kFloatList;
}

bool takes_choices(ParamType type) {
  return type == ParamType::kString || type == ParamType::kStringList;
}

// "hob.optimizer/1"
std::string check_interface(const DescriptorNode& node) {
  std::string id = node.as_identifier("._/", "hob.optimizer/1");
  const std::size_t slash = id.find('/');
  const bool numbered = slash != std::string::npos && slash > 0 && slash + 1 < id.size() &&
                        std::all_of(id.begin() + static_cast<std::ptrdiff_t>(slash) + 1, id.end(),
                                    [](unsigned char c) { return std::isdigit(c) != 0; });
  if (!numbered) node.fail("found \"" + id + "\", expected the like of \"hob.optimizer/1\"");
  return id;
}

void check_range(const DescriptorNode& node, const ParamSchema& param, double value) {
  const bool below = param.min && (value < *param.min || (param.min_open && value == *param.min));
  const bool above = param.max && (value > *param.max || (param.max_open && value == *param.max));
  if (below || above) node.fail("the default is outside of the parameter's own range");
}

void check_choice(const DescriptorNode& node, const ParamSchema& param, const std::string& value) {
  const auto& choices = param.choices;
  if (!choices.empty() && std::find(choices.begin(), choices.end(), value) == choices.end()) {
    node.fail("the default \"" + value + "\" is none of the parameter's own choices");
  }
}

std::int64_t read_int(const DescriptorNode& node, const ParamSchema& param) {
  const std::int64_t value = node.as_int();
  check_range(node, param, static_cast<double>(value));
  return value;
}

double read_float(const DescriptorNode& node, const ParamSchema& param) {
  const double value = node.as_float();
  check_range(node, param, value);
  return value;
}

std::string read_string(const DescriptorNode& node, const ParamSchema& param) {
  std::string value = node.as_text();
  check_choice(node, param, value);
  return value;
}

template <typename T>
std::vector<T> read_list(const DescriptorNode& node, const ParamSchema& param,
                         T (*read)(const DescriptorNode&, const ParamSchema&)) {
  std::vector<T> values;
  for (const DescriptorNode& item : node.items()) values.push_back(read(item, param));
  return values;
}

Value read_default(const DescriptorNode& node, const ParamSchema& param) {
  switch (param.type) {
    case ParamType::kBool:
      return node.as_bool();
    case ParamType::kInt:
      return read_int(node, param);
    case ParamType::kSize:
      if (node.as_int() < 0) node.fail("a size is not negative");
      return read_int(node, param);
    case ParamType::kFloat:
      return read_float(node, param);
    case ParamType::kString:
    case ParamType::kPath:
      return read_string(node, param);
    case ParamType::kIntList:
      return read_list(node, param, read_int);
    case ParamType::kFloatList:
      return read_list(node, param, read_float);
    case ParamType::kStringList:
      return read_list(node, param, read_string);
  }
  node.fail("a parameter type without a reader");
}

ParamType read_type(const DescriptorNode& node) {
  const std::string text = node.as_text();
  std::string known;
  for (const auto& [name, type] : kTypes) {
    if (name == text) return type;
    known += known.empty() ? "" : ", ";
    known += name;
  }
  node.fail("found \"" + text + "\", expected one of " + known);
}

void read_range(const DescriptorNode& node, ParamSchema& param) {
  for (const char* key : {"min", "max", "min_open", "max_open"}) {
    if (node.has(key) && !takes_range(param.type)) {
      node.at(key).fail("only numbers and lists of numbers have a range");
    }
  }
  if (node.has("min")) param.min = node.at("min").as_float();
  if (node.has("max")) param.max = node.at("max").as_float();
  param.min_open = node.flag("min_open", false);
  param.max_open = node.flag("max_open", false);
  const bool empty =
      param.min && param.max &&
      (*param.min > *param.max || (*param.min == *param.max && (param.min_open || param.max_open)));
  if (empty) node.fail("no number lies between its min and its max");
}

ParamSchema read_param(const DescriptorNode& node) {
  ParamSchema param;
  param.name = node.at("name").as_name();
  param.type = read_type(node.at("type"));
  param.unit = node.text("unit");
  param.help = node.text("help");
  read_range(node, param);
  for (const DescriptorNode& choice : node.items("choices")) {
    if (!takes_choices(param.type)) choice.fail("only strings and lists of strings have choices");
    param.choices.push_back(choice.as_text());
  }
  param.numerics = node.flag("numerics", true);
  param.may_change_on_resume = node.flag("may_change_on_resume", false);
  if (node.has("default")) param.default_value = read_default(node.at("default"), param);
  return param;
}

ComponentSchema read_component(const DescriptorNode& node, const PluginDescriptor& plugin) {
  ComponentSchema component;
  component.plugin_id = plugin.id;
  component.plugin_version = plugin.version;
  component.kind = node.at("kind").as_name();
  component.name = node.at("name").as_name();
  component.interface = check_interface(node.at("interface"));
  if (!component.interface.starts_with("hob." + component.kind + "/")) {
    node.at("interface")
        .fail("found \"" + component.interface + "\", expected an interface of " + component.kind +
              ", \"hob." + component.kind + "/N\"");
  }
  component.summary = node.text("summary");
  component.traits = node.names("traits");
  component.provides = node.names("provides");
  component.needs = node.names("needs");
  component.conflicts = node.names("conflicts");
  std::set<std::string> seen;
  for (const DescriptorNode& item : node.items("params")) {
    component.params.push_back(read_param(item));
    if (!seen.insert(component.params.back().name).second) {
      item.fail("a second parameter named \"" + component.params.back().name + "\"");
    }
  }
  return component;
}

// Refuses what nlohmann-json lets pass: a key twice, of which it would keep the last, and nesting
// so deep that printing the value would exhaust the stack.
class StrictParse {
 public:
  explicit StrictParse(const std::string& what) : what_(what) {}

  bool operator()(int depth, nlohmann::json::parse_event_t event, const nlohmann::json& value) {
    using Event = nlohmann::json::parse_event_t;
    if (depth > kMaxDepth) fail(what_ + ": nested too deeply");
    if (event == Event::object_start) {
      keys_.emplace_back();
    } else if (event == Event::object_end) {
      keys_.pop_back();
    } else if (event == Event::key && !keys_.back().insert(value.get<std::string>()).second) {
      fail(what_ + ": the key " + value.dump(-1, ' ', true) + " stands twice in one object");
    }
    return true;
  }

 private:
  static constexpr int kMaxDepth = 16;
  std::string what_;
  std::vector<std::set<std::string>> keys_;  // of each open object
};

nlohmann::json parse_note(const std::string& desc, const std::string& what) {
  const std::size_t size = !desc.empty() && desc.back() == '\0' ? desc.size() - 1 : desc.size();
  const auto begin = desc.begin();
  try {
    StrictParse strict(what);
    return nlohmann::json::parse(begin, begin + static_cast<std::ptrdiff_t>(size),
                                 std::ref(strict));
  } catch (const nlohmann::json::exception& error) {
    // Its text names the byte and what was expected there.
    fail(what + ": not valid JSON: " + error.what());
  }
}

void read_sdk(const DescriptorNode& node, PluginDescriptor& plugin) {
  const auto numbers = node.items();
  if (numbers.size() != 2) node.fail("expected two integers, the SDK's major and minor");
  constexpr std::int64_t kMax = std::numeric_limits<int>::max();
  for (const DescriptorNode& number : numbers) {
    if (number.as_int() < 0 || number.as_int() > kMax) number.fail("not a version number");
  }
  plugin.sdk_major = static_cast<int>(numbers[0].as_int());
  plugin.sdk_minor = static_cast<int>(numbers[1].as_int());
}

void read_descriptor_note(const std::string& desc, PluginDescriptor& plugin) {
  const nlohmann::json json = parse_note(desc, "descriptor");
  const DescriptorNode root(json, "");
  const DescriptorNode format = root.at("format");
  if (format.as_int() != kFormat) {
    format.fail("found " + std::to_string(format.as_int()) + ", this hob reads format " +
                std::to_string(kFormat) + "; rebuild the plugin with this hob's SDK");
  }
  plugin.id = root.at("id").as_identifier("._-", "org.example.signsgd");
  plugin.version = root.at("version").as_identifier(".+-", "1.0.0");
  read_sdk(root.at("sdk"), plugin);

  std::set<std::pair<std::string, std::string>> seen;
  for (const DescriptorNode& item : root.at("components").items()) {
    plugin.components.push_back(read_component(item, plugin));
    const ComponentSchema& added = plugin.components.back();
    if (!seen.emplace(added.kind, added.name).second) {
      item.fail("a second " + added.kind + " named \"" + added.name + "\"");
    }
  }
  if (plugin.components.empty()) root.at("components").fail("a plugin has at least one component");
}

TorchBuild read_torch_note(const std::string& desc) {
  const nlohmann::json json = parse_note(desc, "LibTorch note");
  const DescriptorNode root(json, "LibTorch note");
  TorchBuild torch;
  torch.version = root.at("version").as_text();
  torch.git = root.at("git").as_text();
  torch.cuda = root.at("cuda").as_text();
  const DescriptorNode abi = root.at("cxx11_abi");
  if (abi.as_int() != 0 && abi.as_int() != 1) abi.fail("expected 0 or 1");
  torch.cxx11_abi = static_cast<int>(abi.as_int());
  return torch;
}

std::string read_line_note(const std::string& desc, const std::string& what) {
  std::string text = desc.substr(0, std::min(desc.size(), desc.find('\0')));
  const auto is_plain = [](unsigned char c) { return c >= 0x20 && c < 0x7f; };
  if (text.empty() || !std::all_of(text.begin(), text.end(), is_plain)) {
    fail(what + ": expected one line of plain text");
  }
  return text;
}

}  // namespace

bool has_hob_note(const ElfFile& elf) {
  return std::any_of(elf.notes.begin(), elf.notes.end(),
                     [](const ElfNote& note) { return note.owner == kOwner; });
}

PluginDescriptor read_descriptor(const ElfFile& elf) {
  PluginDescriptor plugin;
  const std::string* descriptor = nullptr;
  std::set<std::string> operators, interfaces;
  for (const ElfNote& note : elf.notes) {
    if (note.owner != kOwner) continue;
    if (note.desc.size() > kMaxNoteBytes) {
      fail("a note of hob has " + std::to_string(note.desc.size()) + " bytes, at most " +
           std::to_string(kMaxNoteBytes) + " are allowed");
    }
    switch (note.type) {
      case kDescriptorNote:
        if (descriptor != nullptr) {
          fail("two descriptors: a plugin has exactly one HOB_PLUGIN in all of its sources");
        }
        descriptor = &note.desc;
        break;
      case kOperatorNote:
        operators.insert(read_line_note(note.desc, "operator note"));
        break;
      case kInterfaceNote:
        interfaces.insert(read_line_note(note.desc, "interface note"));
        break;
      case kTorchNote:
        // Every source of a native plugin may write one; they must tell the same.
        if (const TorchBuild torch = read_torch_note(note.desc); !plugin.torch) {
          plugin.torch = torch;
        } else if (*plugin.torch != torch) {
          fail("its sources were compiled against different builds of LibTorch");
        }
        break;
      default:
        break;  // of a later SDK minor: what it needs is told by the SDK's version
    }
  }
  if (descriptor == nullptr) {
    fail("it has notes of hob, but no descriptor: HOB_PLUGIN is missing");
  }
  read_descriptor_note(*descriptor, plugin);
  plugin.tier = plugin.torch ? Tier::kNative : Tier::kStable;
  plugin.operator_schemas.assign(operators.begin(), operators.end());
  plugin.host_interfaces.assign(interfaces.begin(), interfaces.end());
  return plugin;
}

}  // namespace hob::host
