#include "data/strict_json.h"

#include <cstdint>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/text.h"

namespace hob::data {

namespace {

using nlohmann::json;

// Builds the document from the parser's events, with the checks that the library's own builder
// lacks. The address of an open object or array is stable: only its own members are added to, until
// it ends.
class Builder final : public nlohmann::json_sax<json> {
 public:
  Builder(const std::string& where, const JsonLimits& limits) : where_(where), limits_(limits) {}

  json take() { return std::move(root_); }

  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(std::int64_t value) override { return add(value); }
  bool number_unsigned(std::uint64_t value) override { return add(value); }
  bool number_float(double value, const std::string& /*text*/) override { return add(value); }
  bool string(std::string& value) override { return add(std::move(value)); }
  bool binary(json::binary_t& value) override { return add(std::move(value)); }
  bool start_object(std::size_t /*items*/) override { return open(json::object()); }
  bool end_object() override { return close(); }
  bool start_array(std::size_t /*items*/) override { return open(json::array()); }
  bool end_array() override { return close(); }

  bool key(std::string& name) override {
    auto [it, is_new] = open_.back()->get_ref<json::object_t&>().emplace(name, nullptr);
    if (!is_new) fail("has the key " + quote(name) + " twice in one object");
    member_ = &it->second;
    return true;
  }

  bool parse_error(std::size_t /*position*/, const std::string& /*token*/,
                   const nlohmann::detail::exception& error) override {
    // "[json.exception.parse_error.101] parse error at line 1, column 2: ..."
    std::string message = error.what();
    if (auto end = message.find("] "); end != std::string::npos) message.erase(0, end + 2);
    throw Error(Fault::kUsage, where_ + ": not valid JSON: " + message);
  }

 private:
  bool add(json value) {
    place(std::move(value));
    return true;
  }

  bool open(json value) {
    if (open_.size() >= limits_.depth) {
      fail("is nested deeper than " + std::to_string(limits_.depth) + " levels");
    }
    open_.push_back(place(std::move(value)));
    return true;
  }

  bool close() {
    open_.pop_back();
    return true;
  }

  json* place(json value) {
    json* slot = &root_;
    if (!open_.empty() && open_.back()->is_object()) {
      slot = member_;
    } else if (!open_.empty()) {
      auto& items = open_.back()->get_ref<json::array_t&>();
      if (items.size() >= limits_.array_items) {
        fail("has an array of more than " + std::to_string(limits_.array_items) + " items");
      }
      slot = &items.emplace_back();
    }
    *slot = std::move(value);
    return slot;
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw Error(Fault::kUsage, where_ + ": the JSON " + what);
  }

  const std::string& where_;
  const JsonLimits& limits_;
  json root_;
  json* member_ = nullptr;   // the value slot of the key just read
  std::vector<json*> open_;  // innermost last
};

}  // namespace

json parse_strict_json(std::string_view text, const std::string& where, const JsonLimits& limits) {
  if (text.size() > limits.text_bytes) {
    throw Error(Fault::kUsage, where + ": the JSON has " + std::to_string(text.size()) +
                                   " bytes, more than the " + std::to_string(limits.text_bytes) +
                                   " that are accepted");
  }
  // The library skips a byte order mark, which JSON that programs exchange must not have (RFC
  // 8259).
  if (text.substr(0, 3) == "\xEF\xBB\xBF") {
    throw Error(Fault::kUsage, where + ": the JSON begins with a byte order mark");
  }
  Builder builder(where, limits);
  json::sax_parse(text.begin(), text.end(), &builder);
  return builder.take();
}

}  // namespace hob::data
