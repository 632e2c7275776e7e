// A plugin without the SDK's wrappers, which lets an exception out of its entry or out of a static
// constructor.
#include <hob/abi/entry.h>
#include <hob/abi/note.h>

#include <new>
#include <stdexcept>
#include <string>

HOB_DESCRIPTOR(
    "{\"format\":1,\"id\":\"org.hob.test.throws\",\"version\":\"1.0.0\",\"sdk\":[1,0],"
    "\"components\":[{\"kind\":\"optimizer\",\"name\":\"throws\","
    "\"interface\":\"hob.optimizer/1\"}]}");

namespace {

// A type of the plugin's own: with hidden visibility the host cannot know it, only its base.
struct OwnError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

#ifdef THROW_IN_STATIC
struct Static {
  Static() { throw OwnError("thrown while the library was loaded"); }
} const at_load;
#endif

}  // namespace

extern "C" hob_error* hob_plugin_main(const hob_host*, const hob_plugin**) {
#ifdef THROW
  throw THROW;
#endif
  return nullptr;
}
