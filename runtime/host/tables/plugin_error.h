#pragma once

#include <string>
#include <utility>

#include "base/error.h"
#include "host/tables/handles.h"

namespace hob::host {

// What a plugin, or LibTorch on its behalf, reported: its code decides what the loop does (replay,
// skip the sample, stop). Holds the whole error, so that nothing is lost on its way through host
// code between two plugins.
class PluginError : public Error {
 public:
  explicit PluginError(hob_error error)
      : Error(error.code == HOB_ERROR_INVALID ? Fault::kUsage : Fault::kRun, display(error)),
        error_(std::move(error)) {}
  PluginError(int32_t code, const std::string& message)
      : PluginError(hob_error{.code = code, .text = message}) {}

  int32_t code() const { return error_.code; }
  const hob_error& error() const { return error_; }

 private:
  static std::string display(const hob_error& error) {
    return error.instance.empty() ? error.text : error.instance + ": " + error.text;
  }

  hob_error error_;
};

}  // namespace hob::host
