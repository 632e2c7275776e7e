#pragma once

#include <exception>
#include <string>

namespace hob::session {

// What an exception says, without the stack trace that LibTorch's have in their text.
std::string error_text(const std::exception& error);

}  // namespace hob::session
