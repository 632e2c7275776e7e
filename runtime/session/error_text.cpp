#include "session/error_text.h"

#include <c10/util/Exception.h>

namespace hob::session {

std::string error_text(const std::exception& error) {
  const auto* from_libtorch = dynamic_cast<const c10::Error*>(&error);
  return from_libtorch ? from_libtorch->what_without_backtrace() : error.what();
}

}  // namespace hob::session
