#pragma once

// Writes a record into the file's .note.hob section from inside an inline function, so that a
// plugin records what it uses and nothing else. GCC ignores section attributes on templates and
// statics of inline functions; assembler text works with GCC and Clang and survives strip.
// `content` is a string literal without quotes or backslashes.
#define HOB_EMIT_NOTE(type, content)         \
  asm volatile(                              \
      ".pushsection .note.hob,\"a\",@note\n" \
      "  .balign 4\n"                        \
      "  .long 4\n"                          \
      "  .long 7772f-7771f\n"                \
      "  .long " #type                       \
      "\n"                                   \
      "  .asciz \"hob\"\n"                   \
      "7771:\n"                              \
      "  .ascii \"" content                  \
      "\"\n"                                 \
      "7772:\n"                              \
      "  .balign 4\n"                        \
      ".popsection\n")
