#include "recipe/extends.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/file.h"
#include "base/text.h"
#include "recipe/parse.h"
#include "recipe/problems.h"

namespace hob::recipe {
namespace {

constexpr std::uint64_t kMostBytes = std::uint64_t{16} << 20;
constexpr int kMostFiles = 64;
constexpr std::int64_t kSchema = 1;

bool has_param(const ComponentSchema& component, const std::string& name) {
  return std::any_of(component.params.begin(), component.params.end(),
                     [&](const ParamSchema& param) { return param.name == name; });
}

bool is_host_name(const HostTable& table, const std::string& name) {
  const std::vector<std::string> children = child_tables(table);
  return find_key(table, name) != nullptr ||
         std::find(children.begin(), children.end(), name) != children.end();
}

// What a table holds of the component around it, less what that lacks.
std::vector<Entry> take_foreign_keys(Node::Table& entries, const HostTable& table,
                                     const ComponentSchema& component) {
  const auto foreign =
      std::stable_partition(entries.begin(), entries.end(), [&](const Entry& entry) {
        return entry.key == "use" || is_host_name(table, entry.key) ||
               has_param(component, entry.key);
      });
  std::vector<Entry> taken(std::make_move_iterator(foreign),
                           std::make_move_iterator(entries.end()));
  entries.erase(foreign, entries.end());
  return taken;
}

std::string note_of(const std::vector<Entry>& dropped, const HostTable& table, const Node& use,
                    const std::string& old_use) {
  std::vector<std::string> names;
  for (const Entry& entry : dropped) {
    names.push_back(quote(entry.key) + " (" + to_string(entry.mark.position()) + ")");
  }
  return to_string(use.mark.position()) + ": " + table.path + ".use is now " + quote(*use.text()) +
         " instead of " + quote(old_use) + "; dropped what " + quote(*use.text()) +
         " does not take: " + join(names, ", ");
}

class TreeLoader {
 public:
  TreeLoader(const Catalogue& catalogue, std::vector<std::string>* notices)
      : catalogue_(catalogue), notices_(notices) {}

  Node load_file(const std::filesystem::path& path, const Mark* extended_at) {
    if (++files_ > kMostFiles) {
      raise_at(*extended_at, "more than " + std::to_string(kMostFiles) + " files are extended");
    }
    const std::filesystem::path real = std::filesystem::weakly_canonical(path);
    if (std::find(chain_.begin(), chain_.end(), real) != chain_.end()) {
      std::vector<std::string> names;
      for (const std::filesystem::path& link : chain_) names.push_back(link.filename().string());
      raise_at(*extended_at, "a recipe extends itself: " + join(names, " -> ") + " -> " +
                                 real.filename().string());
    }
    auto source = std::make_shared<Source>();
    source->name = path.string();
    source->folder = std::filesystem::absolute(path).parent_path();
    source->rank = files_;
    const std::string text = read(path, extended_at);
    chain_.push_back(real);
    Node tree = load_text(text, source);
    chain_.pop_back();
    return tree;
  }

  Node load_text(std::string_view text, const std::shared_ptr<const Source>& source) {
    Node tree = parse_toml(text, source);
    check_schema_number(tree);
    const Node* const extends = tree.find("extends");
    if (extends == nullptr) return tree;
    std::optional<Node> merged;
    for (const Node& base : bases(*extends)) {
      Node base_tree = load_file(source->folder / *base.text(), &base.mark);
      if (merged) {
        merge(*merged, std::move(base_tree), "");
      } else {
        merged = std::move(base_tree);
      }
    }
    tree.erase("extends");
    if (!merged) return tree;
    const Mark root_mark = tree.mark;
    merge(*merged, std::move(tree), "");
    merged->mark = root_mark;
    return std::move(*merged);
  }

 private:
  static std::string read(const std::filesystem::path& path, const Mark* extended_at) {
    try {
      return read_file(path, kMostBytes, Fault::kUsage);
    } catch (const Error& failure) {
      if (extended_at == nullptr) throw;
      raise_at(*extended_at, failure.what());
    }
  }

  // A newer form may mean anything: nothing else can be said of the file.
  static void check_schema_number(const Node& tree) {
    const Node* const schema = tree.find("schema");
    const auto* const number =
        schema == nullptr ? nullptr : std::get_if<std::int64_t>(&schema->data);
    if (number == nullptr || *number <= kSchema) return;
    raise_at(schema->mark, "this recipe is of schema " + std::to_string(*number) +
                               ", and this hob reads schema " + std::to_string(kSchema) +
                               "; use a newer hob, or write the recipe for schema " +
                               std::to_string(kSchema));
  }

  static const Node::Array& bases(const Node& extends) {
    const Node::Array* const items = extends.array();
    const auto is_text = [](const Node& item) { return item.text() != nullptr; };
    if (items == nullptr || !std::all_of(items->begin(), items->end(), is_text)) {
      raise_at(extends.mark, "'extends': expected array of strings, such as [\"base.toml\"], got " +
                                 describe(extends));
    }
    return *items;
  }

  // Tables merge; anything else is replaced.
  void merge(Node& under, Node over, const std::string& path) {
    const HostTable* const table = find_host_table(path);
    const Node* const use = over.find("use");
    if (table != nullptr && use != nullptr) {
      drop_foreign_keys(under, *table, *use, catalogue_, notices_);
    }
    for (Entry& entry : *over.table()) {
      Node* const below = under.find(entry.key);
      if (below != nullptr && below->table() != nullptr && entry.value.table() != nullptr) {
        below->mark = entry.value.mark;
        merge(*below, std::move(entry.value), path.empty() ? entry.key : path + "." + entry.key);
      } else {
        under.set(std::move(entry.key), std::move(entry.mark), std::move(entry.value));
      }
    }
  }

  const Catalogue& catalogue_;
  std::vector<std::string>* const notices_;
  std::vector<std::filesystem::path> chain_;
  int files_ = 0;
};

}  // namespace

void drop_foreign_keys(Node& inherited, const HostTable& table, const Node& use,
                       const Catalogue& catalogue, std::vector<std::string>* notices) {
  const Node* const old_use = inherited.find("use");
  if (table.kind.empty() || use.text() == nullptr) return;
  const std::string old_name =
      old_use != nullptr && old_use->text() != nullptr ? *old_use->text() : table.default_use;
  const ComponentSchema* const component = catalogue.find(table.kind, *use.text()).component;
  if (component == nullptr || component == catalogue.find(table.kind, old_name).component) return;

  std::vector<Entry> dropped = take_foreign_keys(*inherited.table(), table, *component);
  for (const std::string& child : child_tables(table)) {
    const HostTable& child_table = *find_host_table(table.path + "." + child);
    Node* const items = inherited.find(child);
    if (!child_table.inherits_params || items == nullptr || items->array() == nullptr) continue;
    for (Node& item : *items->array()) {
      if (item.table() == nullptr) continue;
      for (Entry& entry : take_foreign_keys(*item.table(), child_table, *component)) {
        dropped.push_back(std::move(entry));
      }
    }
  }
  if (!dropped.empty() && notices != nullptr) {
    notices->push_back(note_of(dropped, table, use, old_name));
  }
}

Node load_tree(const std::filesystem::path& path, const Catalogue& catalogue,
               std::vector<std::string>* notices) {
  return TreeLoader(catalogue, notices).load_file(path, nullptr);
}

Node load_tree_of_text(std::string_view text, std::shared_ptr<const Source> source,
                       const Catalogue& catalogue, std::vector<std::string>* notices) {
  return TreeLoader(catalogue, notices).load_text(text, source);
}

}  // namespace hob::recipe
