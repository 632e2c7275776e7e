#pragma once

#include <filesystem>
#include <functional>
#include <string>

namespace hob::log {

enum class Level { kInfo, kWarning, kError, kOff };

// One message to stderr and to the run's log file, where one is open. Warnings and errors say so
// at their head, in colour only on a terminal and without NO_COLOR or TERM=dumb. Any thread.
void info(const std::string& message);
void warn(const std::string& message);
void error(const std::string& message);

// A warning that is given once for each key.
void warn_once(const std::string& key, const std::string& message);

// What is below the level stays off stderr; the log file gets everything.
void set_stderr_level(Level level);

// Appends all further messages to a file, each with its time. One file at a time: a second call
// closes the first. Throws hob::Error (kUsage) that names the path and the cause.
void open_file(const std::filesystem::path& path);
void close_file();

// Shows each message to a function too (a test, a report); an empty function ends it.
using Listener = std::function<void(Level, const std::string&)>;
void set_listener(Listener listener);

}  // namespace hob::log
