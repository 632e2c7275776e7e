#include "base/log.h"

#include <spdlog/sinks/ansicolor_sink.h>
#include <spdlog/sinks/basic_file_sink.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>
#include <mutex>
#include <set>
#include <string_view>
#include <utility>

#include "base/error.h"

namespace hob::log {
namespace {

bool stderr_takes_colour() {
  const char* const no_color = std::getenv("NO_COLOR");
  const char* const term = std::getenv("TERM");
  if (no_color != nullptr && *no_color != '\0') return false;
  if (term == nullptr || std::string_view(term) == "dumb") return false;
  return isatty(STDERR_FILENO) == 1;
}

spdlog::level::level_enum spdlog_level(Level level) {
  switch (level) {
    case Level::kInfo:
      return spdlog::level::info;
    case Level::kWarning:
      return spdlog::level::warn;
    case Level::kError:
      return spdlog::level::err;
    case Level::kOff:
      break;
  }
  return spdlog::level::off;
}

class Logger {
 public:
  Logger()
      : stderr_sink_(std::make_shared<spdlog::sinks::ansicolor_stderr_sink_mt>(
            stderr_takes_colour() ? spdlog::color_mode::always : spdlog::color_mode::never)) {
    stderr_sink_->set_color(spdlog::level::info, stderr_sink_->reset);
    stderr_sink_->set_pattern("%^%v%$");
  }

  void write(Level level, const std::string& message) {
    const std::lock_guard lock(mutex_);
    const spdlog::details::log_msg entry("hob", spdlog_level(level), message);
    if (stderr_sink_->should_log(entry.level)) stderr_sink_->log(entry);
    if (file_sink_) write_to_file(entry);
    if (listener_) listener_(level, message);
  }

  bool first_time(const std::string& key) {
    const std::lock_guard lock(mutex_);
    return warned_.insert(key).second;
  }

  void set_stderr_level(Level level) { stderr_sink_->set_level(spdlog_level(level)); }

  void set_file(std::shared_ptr<spdlog::sinks::basic_file_sink_mt> sink) {
    const std::lock_guard lock(mutex_);
    file_sink_ = std::move(sink);
  }

  void set_listener(Listener listener) {
    const std::lock_guard lock(mutex_);
    listener_ = std::move(listener);
  }

 private:
  // A full disk must not end the run on account of its log: said once, then without the file.
  void write_to_file(const spdlog::details::log_msg& entry) {
    try {
      file_sink_->log(entry);
      file_sink_->flush();
    } catch (const spdlog::spdlog_ex& failure) {
      file_sink_.reset();
      const std::string message =
          std::string("warning: the log file is closed, as writing failed: ") + failure.what();
      stderr_sink_->log(spdlog::details::log_msg("hob", spdlog::level::warn, message));
    }
  }

  std::recursive_mutex mutex_;  // recursive: a listener may log
  std::shared_ptr<spdlog::sinks::ansicolor_stderr_sink_mt> stderr_sink_;
  std::shared_ptr<spdlog::sinks::basic_file_sink_mt> file_sink_;
  Listener listener_;
  std::set<std::string> warned_;
};

Logger& logger() {
  static Logger instance;
  return instance;
}

}  // namespace

void info(const std::string& message) {
  logger().write(Level::kInfo, message);
}

void warn(const std::string& message) {
  logger().write(Level::kWarning, "warning: " + message);
}

void error(const std::string& message) {
  logger().write(Level::kError, "error: " + message);
}

void warn_once(const std::string& key, const std::string& message) {
  if (logger().first_time(key)) warn(message);
}

void set_stderr_level(Level level) {
  logger().set_stderr_level(level);
}

void open_file(const std::filesystem::path& path) {
  try {
    auto sink = std::make_shared<spdlog::sinks::basic_file_sink_mt>(path.string());
    sink->set_pattern("%Y-%m-%d %H:%M:%S.%e %v");
    logger().set_file(std::move(sink));
  } catch (const spdlog::spdlog_ex& failure) {
    throw Error(Fault::kUsage, "cannot open the log file: " + std::string(failure.what()) +
                                   "; choose a folder that can be written to by run.dir");
  }
}

void close_file() {
  logger().set_file(nullptr);
}

void set_listener(Listener listener) {
  logger().set_listener(std::move(listener));
}

}  // namespace hob::log
