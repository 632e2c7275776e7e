#pragma once

#include <hob/abi/dataset.h>
#include <hob/abi/transform.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "data/field.h"

namespace hob::data {

// What a plugin says went wrong.
struct PluginError {
  std::int32_t code = 0;  // hob_error_code
  std::string text;
};
// Reads an error and frees it. Called on any thread.
using TranslateError = std::function<PluginError(hob_error*)>;

// An instance of a dataset. `self` is borrowed: it outlives the Source.
struct DatasetInstance {
  const hob_dataset* table = nullptr;
  void* self = nullptr;
  std::string name;  // for messages: "dataset.train (image_folder)"
};

// An instance of a transform, borrowed likewise.
struct TransformInstance {
  const hob_transform* table = nullptr;
  void* self = nullptr;
  std::uint64_t seed = 0;  // hob_sample.seed
  std::string name;        // "dataset.train.transform.0 (flip)"
};

// A dataset and the transforms on it: decodes samples into memory that it is given.
class Source {
 public:
  // Asks the dataset for its size and fields, plans them through the transforms, and checks what
  // comes out. [main thread] Throws hob::Error: kUsage where a plugin rejects its parameters or the
  // fields it is given, or the dataset is empty; kPlugin where what a plugin says breaks its
  // contract; kRun for other errors of a plugin.
  Source(DatasetInstance dataset, std::vector<TransformInstance> transforms,
         TranslateError translate);
  Source(Source&&) = default;
  Source& operator=(Source&&) = default;

  const std::string& name() const { return dataset_.name; }
  std::uint64_t size() const { return size_; }  // 1 .. 2^48
  // What a decoded sample consists of. Rank <= 7, for a batch adds a dimension. The names live as
  // long as the Source.
  std::span<const hob_field> fields() const { return stages_.back(); }

  // Memory for what lies between dataset and last transform: one for each thread. Throws hob::Error
  // (kRun) where there is none.
  class Scratch;
  Scratch make_scratch() const;

  // Why a sample is not there.
  struct Failure {
    bool bad_sample = false;  // the data of this sample (HOB_ERROR_DATA): it may be skipped
    std::string text;         // names dataset, sample, transform, and says what the plugin said
  };
  // Decodes one sample into `out`: one contiguous view for each of fields(), the last transform
  // writes straight into it. Labels are checked against their number of classes. Allocates nothing
  // unless it fails. [any thread, several at once]
  std::optional<Failure> read(std::uint64_t index, std::uint64_t epoch,
                              std::span<const hob_view> out, Scratch& scratch) const;

  PluginError translate(hob_error* error) const { return translate_(error); }

 private:
  void plan_dataset();
  void plan_transform(const TransformInstance& transform);
  void check_load(hob_error* error, const std::string& by) const;
  Failure failure(std::uint64_t index, const std::string& by, hob_error* error) const;
  std::optional<Failure> check_labels(std::uint64_t index, std::span<const hob_view> out) const;

  DatasetInstance dataset_;
  std::vector<TransformInstance> transforms_;
  TranslateError translate_;
  std::uint64_t size_ = 0;
  std::vector<std::string> names_;  // of the fields; their addresses stay
  std::vector<std::vector<hob_field>>
      stages_;  // fields after the dataset (0), a transform (1, ...)
};

class Source::Scratch {
 public:
  Scratch(Scratch&&) = default;
  Scratch& operator=(Scratch&&) = default;

 private:
  friend class Source;
  Scratch() = default;

  std::vector<std::byte> memory_;
  std::vector<std::vector<hob_view>> stages_;  // views of all stages but the last
};

}  // namespace hob::data
