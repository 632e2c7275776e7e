#pragma once

#include <string>
#include <vector>

#include "recipe/host_schema.h"
#include "recipe/problems.h"
#include "recipe/tree.h"

namespace hob::recipe {

// Collects the keys that their table does not take, and says of each what was most likely meant.
// Reported last, as a key may belong to a component that is named further down.
class UnknownKeys {
 public:
  // A component that takes part, and where.
  void add_component(const HostTable& table, const ComponentSchema& component);

  // `component` is the one whose parameters the table takes too; null where there is none.
  void add(const Entry& entry, const HostTable& table, const ComponentSchema* component);

  void report(Problems& problems) const;

 private:
  struct Use {
    const HostTable* table;
    const ComponentSchema* component;
  };
  struct Unknown {
    std::string key;
    Mark mark;
    bool is_table;
    Use place;
  };

  std::string explain(const Unknown& unknown) const;
  // "[optimizer]", "[loader] or [eval]"; "" where no table takes the key.
  std::string tables_that_take(const Unknown& unknown) const;

  std::vector<Use> components_;
  std::vector<Unknown> unknown_;
};

}  // namespace hob::recipe
