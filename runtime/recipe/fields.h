#pragma once

#include <type_traits>

#include "recipe/recipe.h"

namespace hob::recipe {

// The host's keys of each struct, named once for reading and writing: calls field(name, member)
// for each. The struct may be const.

template <class T, class Of>
concept Is = std::is_same_v<std::remove_const_t<T>, Of>;

template <Is<Run> T, class F>
void each_field(T& run, F field) {
  field("name", run.name);
  field("dir", run.dir);
  field("seed", run.seed);
  field("device", run.device);
  field("deterministic", run.deterministic);
  field("threads", run.threads);
}

template <Is<Weights> T, class F>
void each_field(T& weights, F field) {
  field("path", weights.path);
  field("reset", weights.reset);
  field("freeze", weights.freeze);
}

template <Is<Loader> T, class F>
void each_field(T& loader, F field) {
  field("batch_size", loader.batch_size);
  field("micro_batch", loader.micro_batch);
  field("threads", loader.threads);
  field("prefetch", loader.prefetch);
  field("shuffle", loader.shuffle);
  field("drop_last", loader.drop_last);
  field("on_bad_sample", loader.on_bad_sample);
  field("bad_sample_limit", loader.bad_sample_limit);
}

template <Is<Optimizer> T, class F>
void each_field(T& optimizer, F field) {
  field("lr", optimizer.lr);
  field("weight_decay", optimizer.weight_decay);
}

template <Is<OptimizerGroup> T, class F>
void each_field(T& group, F field) {
  field("match", group.match);
  field("lr", group.lr);
  field("weight_decay", group.weight_decay);
}

template <Is<Schedule> T, class F>
void each_field(T& schedule, F field) {
  field("warmup", schedule.warmup);
  field("horizon", schedule.horizon);
}

template <Is<Train> T, class F>
void each_field(T& train, F field) {
  field("epochs", train.epochs);
  field("updates", train.updates);
  field("max_time", train.max_time);
  field("clip_norm", train.clip_norm);
  field("on_nonfinite", train.on_nonfinite);
  field("memory_budget", train.memory_budget);
}

template <Is<Eval> T, class F>
void each_field(T& eval, F field) {
  field("every", eval.every);
  field("batch_size", eval.batch_size);
}

template <Is<Checkpoint> T, class F>
void each_field(T& checkpoint, F field) {
  field("every", checkpoint.every);
  field("keep", checkpoint.keep);
  field("best", checkpoint.best);
  field("mode", checkpoint.mode);
}

template <Is<Export> T, class F>
void each_field(T& exports, F field) {
  field("formats", exports.formats);
  field("dtype", exports.dtype);
}

template <Is<Lock> T, class F>
void each_field(T& lock, F field) {
  field("hob", lock.hob);
  field("torch", lock.torch);
}

template <Is<LockedPlugin> T, class F>
void each_field(T& plugin, F field) {
  field("id", plugin.id);
  field("version", plugin.version);
  field("file", plugin.file);
  field("sha256", plugin.sha256);
}

template <Is<LockedFile> T, class F>
void each_field(T& file, F field) {
  field("role", file.role);
  field("path", file.path);
  field("size", file.size);
  field("mtime", file.mtime);
  field("sha256", file.sha256);
}

}  // namespace hob::recipe
