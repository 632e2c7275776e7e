/* Generated from sdk/spec.toml by sdk/tools/generate_abi.py: edit the spec. */
/* Interception points of layers. A socket without links costs a test of one word. */
/* Interface "hob.sockets/1", draft. */
#ifndef HOB_ABI_SOCKETS_H
#define HOB_ABI_SOCKETS_H

#include <stddef.h>
#include <stdint.h>
#include "params.h"

#ifdef __cplusplus
extern "C" {
#endif

#define HOB_SOCKETS_INTERFACE "hob.sockets/1"

/* Kinds of layer. */
enum hob_socket_kind {
  HOB_SOCKET_ANY = 0, /* in find: all */
  HOB_SOCKET_LINEAR = 1, /* weight (out, in) */
  HOB_SOCKET_CONV = 2, /* weight (out, in / groups, k...); attributes hob_conv */
  HOB_SOCKET_EMBEDDING = 3, /* weight (n, d); input int64 */
  HOB_SOCKET_NORM = 4, /* weight and bias (d) */
};

/* The order of links, outermost first; within a role, the recipe's order, the earlier one outside. */
enum hob_link_role {
  HOB_LINK_OBSERVER = 0, /* sees input and output */
  HOB_LINK_BRANCH = 100, /* adds to the output */
  HOB_LINK_WEIGHT = 200, /* hands a changed weight to the next */
  HOB_LINK_KERNEL = 300, /* computes the result itself; at most one on a socket */
};

typedef struct hob_conv hob_conv;
/* Geometry of a convolution; dim of the entries count. */
struct hob_conv {
  uint32_t struct_size;
  uint32_t dim; /* 1 .. 3 */
  int64_t stride[3];
  int64_t padding[3];
  int64_t dilation[3];
  int64_t groups;
};

typedef struct hob_layer_call hob_layer_call;
/* What a layer is called with; borrowed for the call. */
struct hob_layer_call {
  uint32_t struct_size;
  uint32_t kind; /* hob_socket_kind */
  hob_tensor* input;
  hob_tensor* weight; /* NULL while the weight is replaced */
  hob_tensor* bias; /* may be NULL */
  const void* attributes; /* hob_conv for HOB_SOCKET_CONV, else NULL */
};

typedef struct hob_link hob_link;
/* One link of a socket's chain. Links call each other; the host only adds to an error where it
 * was. */
struct hob_link {
  uint32_t struct_size;
  int32_t role; /* hob_link_role */
  /* [any] out is a new reference. Runs again, with pass->recompute set, when a segment is
   * recomputed. */
  hob_error* (*call)(const struct hob_link* self, const hob_layer_call* args, hob_tensor** out);
  const struct hob_link* next; /* NULL only for the layer's own link, the innermost */
  void* user;
  const char* owner; /* instance name */
};

typedef struct hob_socket hob_socket;
/* The interception point of one layer. */
struct hob_socket {
  uint32_t struct_size;
  uint32_t kind; /* hob_socket_kind */
  const hob_link* head; /* NULL: the layer calls its operator directly */
  const char* name; /* dotted, "layer1.0.conv1" */
  hob_param* weight; /* may be NULL */
  hob_param* bias; /* may be NULL */
  const void* attributes; /* as in hob_layer_call */
};

typedef struct hob_sockets hob_sockets;
/* hob.sockets/1 */
struct hob_sockets {
  uint32_t struct_size;
  uint32_t reserved; /* 0 */
  /* [load] A model registers a layer. attributes and user live as long as the model. */
  hob_error* (*add)(hob_env* env, const char* name, uint32_t kind, hob_param* weight, hob_param*
      bias, const void* attributes, hob_error* (*base)(const hob_link* self, const hob_layer_call*
      args, hob_tensor** out), void* user, hob_socket** out);
  /* [load] Sockets by pattern and kind; returns how many there are, writes at most capacity. */
  uint32_t (*find)(hob_env* env, const char* pattern, uint32_t kind, hob_socket** out, uint32_t
      capacity);
  /* [load] Puts a link of this instance on a socket. A second kernel is an error that names both. */
  hob_error* (*install)(hob_env* env, hob_socket* socket, int32_t role, hob_error* (*call)(const
      hob_link* self, const hob_layer_call* args, hob_tensor** out), void* user);
  /* [main] Takes this instance's links off, between updates. */
  hob_error* (*remove)(hob_env* env, hob_socket* socket);
};

#ifdef __cplusplus
}
#endif

#endif
