/* The descriptor of a plugin written in C: an ELF note that hob reads without loading the file.
 * docs/reference/descriptor.md says what the JSON holds. C++ plugins use HOB_PLUGIN instead. */
#ifndef HOB_ABI_NOTE_H
#define HOB_ABI_NOTE_H

#include <stdint.h>

#define HOB_NOTE_DESCRIPTOR 1 /* the JSON text, exactly once */
#define HOB_NOTE_OPERATOR 2   /* the schema text of an operator that the plugin calls */
#define HOB_NOTE_INTERFACE 3  /* the id of a host's table that the plugin needs */
#define HOB_NOTE_TORCH 4      /* native tier: the LibTorch that the plugin was built with */

/* HOB_DESCRIPTOR("{\"format\":1, ...}") at file scope, once in a plugin. */
#define HOB_DESCRIPTOR(json) HOB_NOTE_(hob_note_descriptor, HOB_NOTE_DESCRIPTOR, json)

/* HOB_NEEDS(ops, "hob.ops/1") at file scope, for each table that the plugin asks the host for. */
#define HOB_NEEDS(label, id) HOB_NOTE_(hob_note_needs_##label, HOB_NOTE_INTERFACE, id)

/* HOB_USES_OPERATOR(add, "aten::add.Tensor(Tensor self, ...) -> Tensor") at file scope. */
#define HOB_USES_OPERATOR(label, schema) HOB_NOTE_(hob_note_op_##label, HOB_NOTE_OPERATOR, schema)

#define HOB_NOTE_(symbol, note_type, content)                                                    \
  static const struct {                                                                          \
    uint32_t name_size, content_size, type;                                                      \
    char name[4];                                                                                \
    char text[sizeof(content)];                                                                  \
  } symbol __attribute__((section(".note.hob"), used, aligned(4))) = {                           \
      4, sizeof(content), note_type, {'h', 'o', 'b', 0}, content}

#endif
