#include "host/tables/instance.h"

hob_config::hob_config(const hob::recipe::Params& params) : params_(params) {
  for (const auto& [key, value] : params_) values_[key] = hob::host::value_of(value, strings_);
}

const hob_value* hob_config::find(std::string_view key) const {
  const auto found = values_.find(key);
  return found == values_.end() ? nullptr : &found->second;
}

std::vector<std::string> hob_config::keys() const {
  std::vector<std::string> result;
  for (const auto& [key, value] : params_) result.push_back(key);
  return result;
}
