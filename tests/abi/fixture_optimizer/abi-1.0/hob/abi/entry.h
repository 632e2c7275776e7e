/* Generated from sdk/spec.toml by sdk/tools/generate_abi.py: edit the spec. */
/* How hob and a plugin find each other: one exported function, and tables by string id. */
#ifndef HOB_ABI_ENTRY_H
#define HOB_ABI_ENTRY_H

#include <stddef.h>
#include <stdint.h>
#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hob_host hob_host;
/* What a plugin is given. Lives until the process ends. */
struct hob_host {
  uint32_t struct_size;
  uint32_t abi_major; /* of this hob */
  uint32_t abi_minor;
  uint32_t reserved; /* 0 */
  /* [any] The table of that id, for example "hob.ops/1"; NULL if this hob does not offer it.
   * Tables live until the process ends. */
  const void* (*interface)(const char* id);
};

typedef struct hob_component_table hob_component_table;
/* The start of every kind's table. Fixed for ever: it never grows. */
struct hob_component_table {
  uint32_t struct_size; /* of the whole table of the kind */
  uint32_t state_version; /* of what save writes */
  /* [load] Makes an instance. env stays valid until destroy, config until create returns. */
  hob_error* (*create)(hob_env* env, const hob_config* config, void** self);
  /* [main] Frees the instance; called once, also after an error of another call. */
  void (*destroy)(void* self);
  /* [main] Writes the state that a resumed run needs; NULL if there is none beyond what the host
   * keeps. */
  hob_error* (*save)(void* self, hob_writer* writer);
  /* [main] Reads what save of that or an older state_version wrote, before the first update. */
  hob_error* (*load)(void* self, hob_reader* reader, uint32_t version);
  /* [main] A further table of this instance, or NULL; may itself be NULL. */
  const void* (*interface)(void* self, const char* id);
};

typedef struct hob_component hob_component;
/* One component of a plugin; it equals the one in the descriptor. */
struct hob_component {
  uint32_t struct_size;
  uint32_t reserved; /* 0 */
  const char* kind; /* "optimizer" */
  const char* name; /* "adamw" */
  const char* interface; /* "hob.optimizer/1": the type of table */
  const hob_component_table* table; /* starts with hob_component_table */
};

typedef struct hob_plugin hob_plugin;
/* What the entry hands over; lives until the process ends. */
struct hob_plugin {
  uint32_t struct_size;
  uint32_t n_components;
  const hob_component* const* components;
};

/* [load] The one symbol that a plugin exports. Called once, after hob has read and accepted the
 * descriptor. */
#if defined(__GNUC__)
__attribute__((visibility("default")))
#endif
hob_error* hob_plugin_main(const hob_host* host, const hob_plugin** plugin);

#ifdef __cplusplus
}
#endif

#endif
