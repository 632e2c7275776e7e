#include <hob/monitor.h>

#include <fcntl.h>
#include <unistd.h>

#include <charconv>
#include <cstdio>
#include <filesystem>
#include <fstream>

// Writes metrics.jsonl into the run's folder, one strict JSON object (RFC 8259) a line:
//   {"update":10,"event":"update","epoch":0,"samples":640,"elapsed_s":1.5,"scalars":{"loss":2.3}}
// event is "update" or "eval"; epoch counts completed ones. JSON has no word for what is not
// finite: such numbers are the strings "NaN", "Infinity" and "-Infinity", which Python's float()
// reads. A line is written whole, so that a run that is killed leaves none in part. A resumed run
// first cuts the lines after the update that it resumes from.

namespace {

namespace fs = std::filesystem;

struct JsonlConfig {
  int64_t every;
  HOB_SCHEMA(JsonlConfig, HOB_PARAM(every, 10, hob::ge(1), hob::cosmetic, hob::resumable,
                                    hob::unit("updates"), "period of the lines of training"))
};

// Bytes of one character of UTF-8 at the beginning of text; 0 where it begins with none.
size_t utf8_length(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  const size_t length = lead < 0x80 ? 1 : lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  if (length == 0 || lead > 0xf4 || length > text.size()) return 0;
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  const bool overlong = (lead == 0xe0 && byte(1) < 0xa0) || (lead == 0xf0 && byte(1) < 0x90);
  const bool beyond = (lead == 0xed && byte(1) > 0x9f) || (lead == 0xf4 && byte(1) > 0x8f);
  return overlong || beyond ? 0 : length;
}

std::string quoted(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    const size_t length = utf8_length(text);
    const auto c = static_cast<unsigned char>(text[0]);
    if (length == 0) {
      out += "\\ufffd";  // the replacement character
    } else if (c == '"' || c == '\\') {
      out += {'\\', text[0]};
    } else if (c < 0x20) {
      char escaped[8];
      std::snprintf(escaped, sizeof escaped, "\\u%04x", c);
      out += escaped;
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(std::max<size_t>(1, length));
  }
  return out + '"';
}

// The shortest text that reads back to the same number.
std::string number(double value) {
  if (std::isnan(value)) return "\"NaN\"";
  if (std::isinf(value)) return value > 0 ? "\"Infinity\"" : "\"-Infinity\"";
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

// The update that a line of ours is about; nothing for any other line.
bool read_update(std::string_view line, uint64_t& update) {
  constexpr std::string_view kStart = "{\"update\":";
  if (!line.starts_with(kStart) || !line.ends_with('}')) return false;
  const char* first = line.data() + kStart.size();
  return std::from_chars(first, line.data() + line.size(), update).ec == std::errc();
}

class Jsonl : public hob::Monitor<JsonlConfig> {
 public:
  ~Jsonl() override { close(); }

  hob::Interest interest() const override {
    return {HOB_EVENT_RUN_BEGIN | HOB_EVENT_UPDATE_END | HOB_EVENT_EVAL_END,
            static_cast<uint64_t>(config.every), /*scalars=*/true};
  }

  void on_event(const hob::Event& event) override {
    if (event->kind == HOB_EVENT_RUN_BEGIN) {
      path_ = fs::path(event->run_dir) / "metrics.jsonl";
      keep_until(event->update);
      close();
      file_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
      if (file_ < 0) fail("cannot be opened");
    } else if (file_ >= 0) {
      write_line(line_of(event));
    }
  }

 private:
  static std::string line_of(const hob::Event& event) {
    std::string line = "{\"update\":" + std::to_string(event->update);
    line += event->kind == HOB_EVENT_EVAL_END ? ",\"event\":\"eval\"" : ",\"event\":\"update\"";
    line += ",\"epoch\":" + std::to_string(event->epoch);
    line += ",\"samples\":" + std::to_string(event->samples);
    line += ",\"elapsed_s\":" + number(event->elapsed_s) + ",\"scalars\":{";
    bool first = true;
    for (const hob_scalar& s : event.scalars()) {
      line += (first ? "" : ",") + quoted(s.name) + ":" + number(s.value);
      first = false;
    }
    return line + "}}\n";
  }

  void write_line(std::string_view line) {
    while (!line.empty()) {
      const ssize_t count = ::write(file_, line.data(), line.size());
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) fail("cannot be written");
      line.remove_prefix(static_cast<size_t>(count));
    }
  }

  // Leaves of the file only the whole lines about the updates up to that one.
  void keep_until(uint64_t last) const {
    std::ifstream in(path_, std::ios::binary);
    if (!in) return;
    const fs::path shorter = path_.string() + ".tmp";
    std::ofstream out(shorter, std::ios::binary | std::ios::trunc);
    std::string line;
    // A last line without its end is one that a crash cut short.
    while (std::getline(in, line) && !in.eof()) {
      uint64_t update = 0;
      if (last > 0 && read_update(line, update) && update <= last) out << line << '\n';
    }
    out.close();
    if (!out) fail("cannot be shortened");
    fs::rename(shorter, path_);
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw hob::Error(path_.string() + " " + what + ": " + std::strerror(errno));
  }
  void close() {
    if (file_ >= 0) ::close(std::exchange(file_, -1));
  }

  fs::path path_;
  int file_ = -1;
};

}  // namespace

HOB_PLUGIN("org.hob.jsonl", "0.1.0",
           hob::add<Jsonl>("jsonl", "Numbers of the run as JSON lines in metrics.jsonl"))
