#include "app/verify_report.h"

#include <cstring>
#include <iostream>

#include "app/component_json.h"
#include "app/terminal.h"
#include "base/error.h"
#include "base/text.h"

namespace hob::app {
namespace {

using session::verify::Outcome;

const char* status_name(Status status) {
  switch (status) {
    case Status::kPass:
      return "pass";
    case Status::kFail:
      return "fail";
    case Status::kSkip:
      return "skip";
    case Status::kCrash:
      return "crash";
    case Status::kTimeout:
      return "timeout";
  }
  return "";
}

bool is_failure(Status status) {
  return status != Status::kPass && status != Status::kSkip;
}

Status status_of(const std::string& outcome) {
  if (outcome == "pass") return Status::kPass;
  return outcome == "skip" ? Status::kSkip : Status::kFail;
}

// Only whole lines, and not many.
std::string last_lines(const std::string& output) {
  constexpr std::size_t kLines = 12;
  std::vector<std::string> lines = split(output, '\n');
  while (!lines.empty() && lines.back().empty()) lines.pop_back();
  if (lines.size() > kLines) lines.erase(lines.begin(), lines.end() - kLines);
  return join(lines, "\n");
}

}  // namespace

std::string encode(const session::verify::Result& result) {
  const char* outcome = result.outcome == Outcome::kPass   ? "pass"
                        : result.outcome == Outcome::kSkip ? "skip"
                                                           : "fail";
  return nlohmann::json{{"outcome", outcome}, {"message", result.message}}.dump(
      -1, ' ', true, nlohmann::json::error_handler_t::replace);
}

TestRecord judge(const Finished& finished, double limit_s) {
  TestRecord record;
  record.seconds = finished.seconds;
  record.output = last_lines(finished.output);
  const nlohmann::json report = nlohmann::json::parse(finished.report, nullptr, false);
  const bool reported = report.is_object() && report.contains("outcome");
  // One that reported and then ended badly did so after the test: in a destructor of the plugin.
  const std::string when = reported ? ", after the test itself was over" : "";
  if (finished.timed_out) {
    record.status = Status::kTimeout;
    record.message = "it did not end within " + format_seconds(limit_s) + when;
  } else if (finished.signal) {
    record.status = Status::kCrash;
    record.message = "signal " + std::to_string(*finished.signal) + " (" +
                     strsignal(*finished.signal) + ")" + when;
  } else if (!reported || finished.code != 0) {
    record.status = Status::kCrash;
    record.message = "the process was ended with exit code " + std::to_string(finished.code) + when;
  } else {
    record.status = status_of(report["outcome"].get<std::string>());
    record.message = report["message"].get<std::string>();
  }
  if (!is_failure(record.status)) record.output.clear();
  return record;
}

void VerifyReport::begin(const host::Plugin& plugin, const std::filesystem::path& file) {
  file_ = file;
  component_.clear();
  files_.push_back({{"file", plugin.file.string()},
                    {"plugin", plugin.descriptor.id},
                    {"version", plugin.descriptor.version},
                    {"tests", nlohmann::json::array()}});
  if (json_) return;
  std::cout << "plugin " << plugin.descriptor.id << ' ' << plugin.descriptor.version << ", "
            << file.string() << std::endl;
}

void VerifyReport::add(const TestRecord& record) {
  if (record.status == Status::kPass) ++passed_;
  if (record.status == Status::kSkip) ++skipped_;
  if (is_failure(record.status)) ++failed_;
  nlohmann::json json{{"test", record.test},
                      {"result", status_name(record.status)},
                      {"message", record.message},
                      {"seed", record.seed},
                      {"seconds", record.seconds}};
  if (!record.component.empty()) json["component"] = record.component;
  if (!record.output.empty()) json["output"] = record.output;
  files_.back()["tests"].push_back(std::move(json));
  if (!json_) print(record);
}

void VerifyReport::print(const TestRecord& record) {
  constexpr std::size_t kIndent = 11;
  if (record.component != component_) std::cout << record.component << '\n';
  component_ = record.component;
  const std::string status = status_name(record.status);
  const std::string head = "  " + padded(status, kIndent - 2) + record.test;
  const std::string indent(kIndent, ' ');
  const std::size_t columns = terminal_columns();
  if (record.status == Status::kPass) {
    const std::string note = record.message.empty() ? "" : " (" + record.message + ")";
    std::cout << head << wrapped(note, kIndent + 2, columns) << std::endl;
    return;
  }
  std::cout << head << '\n' << indent << wrapped(record.message, kIndent, columns) << '\n';
  if (is_failure(record.status)) {
    std::cout << indent << "again: hob verify " << file_.string()
              << (record.component.empty() ? "" : " --component " + record.component)
              << " --reproduce " << record.test << ':' << record.seed << '\n';
    for (const std::string& line : split(record.output, '\n')) {
      if (!line.empty()) std::cout << indent << "| " << line << '\n';
    }
  }
  std::cout << std::flush;
}

void VerifyReport::add_refusal(const host::Refusal& refusal) {
  ++refused_;
  nlohmann::json json{{"file", refusal.file.string()},
                      {"refused", to_json(refusal.reasons)},
                      {"tests", nlohmann::json::array()}};
  if (refusal.descriptor) {
    json["plugin"] = refusal.descriptor->id;
    json["version"] = refusal.descriptor->version;
  }
  files_.push_back(std::move(json));
  if (!json_) std::cout << refusal.message() << std::endl;
}

void VerifyReport::end() {
  if (json_) {
    std::cout << dump({{"files", files_},
                       {"passed", passed_},
                       {"failed", failed_},
                       {"skipped", skipped_},
                       {"refused", refused_}})
              << std::endl;
    return;
  }
  std::cout << passed_ << " passed, " << failed_ << " failed, " << skipped_ << " skipped";
  if (refused_ > 0) std::cout << ", " << refused_ << " refused";
  std::cout << std::endl;
}

int VerifyReport::exit_code() const {
  if (refused_ > 0) return static_cast<int>(Fault::kPlugin);
  return failed_ > 0 ? static_cast<int>(Fault::kRun) : 0;
}

}  // namespace hob::app
