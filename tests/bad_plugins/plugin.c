/* A plugin in plain C that is right in everything. Each plugin of this folder is this file with one
 * thing made wrong by a definition; CMakeLists.txt lists them. */
#define _POSIX_C_SOURCE 200809L /* setenv */

#include <hob/abi/entry.h>
#include <hob/abi/note.h>
#include <stdlib.h>

#define TEXT_(...) #__VA_ARGS__
#define TEXT(...) TEXT_(__VA_ARGS__)

#ifndef ID
#define ID org.hob.test.good
#endif
#ifndef SDK
#define SDK 1, 0
#endif
#ifndef KIND
#define KIND optimizer
#endif
#ifndef NAME
#define NAME good
#endif
#ifndef INTERFACE
#define INTERFACE hob.optimizer/1
#endif
#ifndef PARAMS /* more JSON after the component's own keys */
#define PARAMS
#endif

#ifdef DESCRIPTOR
HOB_DESCRIPTOR(DESCRIPTOR);
#elif !defined(WITHOUT_DESCRIPTOR)
HOB_DESCRIPTOR("{\"format\":1,\"id\":\"" TEXT(ID) "\",\"version\":\"1.0.0\",\"sdk\":[" TEXT(SDK) "],"
               "\"components\":[{\"kind\":\"" TEXT(KIND) "\",\"name\":\"" TEXT(NAME) "\","
               "\"interface\":\"" TEXT(INTERFACE) "\",\"summary\":\"Does nothing\"" PARAMS "}]}");
#endif
#ifdef SECOND_DESCRIPTOR
HOB_NOTE_(second_descriptor, HOB_NOTE_DESCRIPTOR, "{\"format\":1}");
#endif
#ifndef WITHOUT_NOTES
HOB_NEEDS(core, "hob.core/1");
HOB_NEEDS(core_again, "hob.core/1");
HOB_USES_OPERATOR(sign, "aten::sign(Tensor self) -> Tensor");
#endif
#ifdef NEEDS
HOB_NEEDS(more, TEXT(NEEDS));
#endif
#ifdef TORCH
HOB_NOTE_(torch_build, HOB_NOTE_TORCH, TORCH);
#endif
#ifdef OVERSIZED_NOTE
__asm__(".pushsection .note.hob,\"a\",@note\n.balign 4\n.long 4, 1048580, 2\n.asciz \"hob\"\n"
        ".fill 1048580, 1, 65\n.popsection");
#endif

/* Symbols that LibTorch defines, by the names that the linker sees. */
#ifdef IMPORTS_TORCH
int _ZN2at5emptyEl(void);
extern const char _ZTVN3c1010TensorImplE;
int _ZNK5torch8autograd4Node4nameEv(void);
int aoti_torch_get_dim(void);
int torch_call_dispatcher(void);
static long use(void) {
  return _ZN2at5emptyEl() + (long)&_ZTVN3c1010TensorImplE + _ZNK5torch8autograd4Node4nameEv() +
         aoti_torch_get_dim() + torch_call_dispatcher();
}
#elif defined(UNDEFINED)
int _ZN7nowhere7to_findEi(int);
static long use(void) { return _ZN7nowhere7to_findEi(1); }
#elif defined(USES_DEPENDENCY)
int hob_test_dependency(void);
static long use(void) { return hob_test_dependency(); }
#else
static long use(void) { return 0; }
#endif

/* Tells a test whether any code of a plugin has run. */
__attribute__((constructor)) static void at_load(void) { setenv("HOB_TEST_CODE_RAN", TEXT(ID), 1); }

static hob_error* create(hob_env* env, const hob_config* config, void** self) {
  (void)env, (void)config;
  *self = (void*)use;
  return 0;
}
static void destroy(void* self) { (void)self; }

#ifndef TABLE_BYTES
#define TABLE_BYTES sizeof(hob_component_table)
#endif
#ifndef CREATE
#define CREATE create
#endif
static const hob_component_table table = {TABLE_BYTES, 1, CREATE, destroy, 0, 0, 0};

#ifndef COMPONENT_BYTES
#define COMPONENT_BYTES sizeof(hob_component)
#endif
#ifndef TABLE_NAME
#define TABLE_NAME TEXT(NAME)
#endif
#ifndef TABLE
#define TABLE &table
#endif
static const hob_component component = {COMPONENT_BYTES, 0, TEXT(KIND), TABLE_NAME, TEXT(INTERFACE),
                                        TABLE};

#ifndef COMPONENT
#define COMPONENT &component
#endif
static const hob_component* const components[] = {COMPONENT, COMPONENT};

#ifndef PLUGIN_BYTES
#define PLUGIN_BYTES sizeof(hob_plugin)
#endif
#ifndef COUNT
#define COUNT 1
#endif
#ifndef COMPONENTS
#define COMPONENTS components
#endif
static const hob_plugin plugin = {PLUGIN_BYTES, COUNT, COMPONENTS};

#ifndef PLUGIN
#define PLUGIN &plugin
#endif
#ifndef ERROR
#define ERROR 0
#endif
#ifndef WITHOUT_ENTRY
hob_error* hob_plugin_main(const hob_host* host, const hob_plugin** out) {
  (void)host;
  *out = PLUGIN;
  return (hob_error*)ERROR;
}
#endif
