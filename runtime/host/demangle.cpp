#include "host/demangle.h"

#include <cxxabi.h>
#include <cstdlib>
#include <memory>

namespace hob::host {

std::string demangle(const std::string& symbol) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> name(
      abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 ? name.get() : symbol;
}

}  // namespace hob::host
