/* Stochastic gradient descent with momentum, in plain C11 and by frozen interfaces alone. It is
 * compiled against its own copy of their headers, abi-1.0/: a plugin of that time, which every
 * later hob must still run. Those headers are never brought up to date. g <- g + weight_decay * p;
 * m <- momentum * m + g;  p <- p - lr * m */
#include <hob/abi/core.h>
#include <hob/abi/entry.h>
#include <hob/abi/note.h>
#include <hob/abi/ops.h>
#include <hob/abi/optimizer.h>
#include <stdlib.h>
#include <string.h>

HOB_DESCRIPTOR(
    "{\"format\":1,\"id\":\"org.hob.test.fixture_optimizer\",\"version\":\"1.0.0\",\"sdk\":[1,0],"
    "\"components\":[{\"kind\":\"optimizer\",\"name\":\"fixture_optimizer\","
    "\"interface\":\"hob.optimizer/1\",\"summary\":\"SGD with momentum, of SDK 1.0\","
    "\"traits\":[\"weight_decay\"],"
    "\"params\":[{\"name\":\"momentum\",\"type\":\"float\",\"default\":0.9,\"min\":0,\"max\":1,"
    "\"max_open\":true,\"help\":\"share of the last step that is kept\"}]}]}");
HOB_NEEDS(core, HOB_CORE_INTERFACE);
HOB_NEEDS(ops, HOB_OPS_INTERFACE);
HOB_USES_OPERATOR(mul, "aten::_foreach_mul_.Scalar(Tensor(a!)[] self, Scalar scalar) -> ()");
HOB_USES_OPERATOR(
    add_, "aten::_foreach_add_.List(Tensor(a!)[] self, Tensor[] other, *, Scalar alpha=1) -> ()");
HOB_USES_OPERATOR(
    add, "aten::_foreach_add.List(Tensor[] self, Tensor[] other, *, Scalar alpha=1) -> Tensor[]");

static const hob_core* core;
static const hob_ops* ops;
static hob_op *mul_scalar_in_place, *add_list_in_place, *add_list;

typedef struct {
  int64_t updates; /* the component's own state */
} fixture;

static hob_error* failed(int32_t code, const char* text) {
  return core->error_new(code, text, strlen(text));
}

static hob_value of_list(hob_list* list) {
  hob_value value = {HOB_VALUE_LIST, 0, {0}};
  value.as.list = list;
  return value;
}
static hob_value of_scalar(double number) {
  hob_value value = {HOB_VALUE_SCALAR_FLOAT, 0, {0}};
  value.as.f = number;
  return value;
}

/* self += alpha * other */
static hob_error* add_in_place(hob_list* self, hob_list* other, double alpha) {
  const hob_value args[] = {of_list(self), of_list(other), of_scalar(alpha)};
  return ops->call(add_list_in_place, args, 3, NULL, 0);
}

static hob_error* step_group(hob_group* group) {
  hob_value momentum, decayed = {HOB_VALUE_NONE, 0, {0}};
  hob_list* buffers = NULL;
  hob_error* error = core->config_get(group->config, "momentum", &momentum);
  if (error) return error;
  error = group->state(group, "momentum_buffer", HOB_STATE_ZEROS, &buffers);
  if (error) return error;

  hob_list* grads = group->grads;
  if (group->weight_decay != 0) {
    const hob_value args[] = {of_list(grads), of_list(group->params),
                              of_scalar(group->weight_decay)};
    error = ops->call(add_list, args, 3, &decayed, 1);
    if (error) return error;
    grads = decayed.as.list;
  }
  const hob_value scaled[] = {of_list(buffers), of_scalar(momentum.as.f)};
  error = ops->call(mul_scalar_in_place, scaled, 2, NULL, 0);
  if (!error) error = add_in_place(buffers, grads, 1);
  if (!error) error = add_in_place(group->params, buffers, -group->lr);
  if (decayed.kind == HOB_VALUE_LIST) core->list_release(decayed.as.list);
  return error;
}

static hob_error* step(void* self, hob_group* const* groups, uint32_t n_groups) {
  for (uint32_t i = 0; i < n_groups; ++i) {
    hob_error* error = step_group(groups[i]);
    if (error) return error;
  }
  ((fixture*)self)->updates += 1;
  return NULL;
}

static hob_error* create(hob_env* env, const hob_config* config, void** self) {
  (void)env;
  (void)config;
  fixture* me = calloc(1, sizeof *me);
  if (!me) return failed(HOB_ERROR_OUT_OF_MEMORY, "out of host memory");
  *self = me;
  return NULL;
}
static void destroy(void* self) {
  free(self);
}

static hob_error* save(void* self, hob_writer* writer) {
  hob_value value = {HOB_VALUE_INT, 0, {0}};
  value.as.i = ((fixture*)self)->updates;
  return core->write(writer, "updates", &value);
}
static hob_error* load(void* self, hob_reader* reader, uint32_t version) {
  hob_value value;
  hob_error* error = core->read(reader, "updates", &value);
  if (error) return error;
  if (version != 1 || value.kind != HOB_VALUE_INT) {
    return failed(HOB_ERROR_INVALID, "the saved state has no count of updates");
  }
  ((fixture*)self)->updates = value.as.i;
  return NULL;
}

static const hob_optimizer table = {{sizeof(hob_optimizer), 1, create, destroy, save, load, NULL},
                                    step};
static const hob_component component = {
    sizeof(hob_component), 0, "optimizer", "fixture_optimizer", HOB_OPTIMIZER_INTERFACE,
    &table.component};
static const hob_component* const components[] = {&component};
static const hob_plugin plugin = {sizeof(hob_plugin), 1, components};

hob_error* hob_plugin_main(const hob_host* host, const hob_plugin** out) {
  core = host->interface(HOB_CORE_INTERFACE);
  ops = host->interface(HOB_OPS_INTERFACE);
  hob_error* error = ops->find("aten::_foreach_mul_", "Scalar", &mul_scalar_in_place);
  if (!error) error = ops->find("aten::_foreach_add_", "List", &add_list_in_place);
  if (!error) error = ops->find("aten::_foreach_add", "List", &add_list);
  *out = &plugin;
  return error;
}
