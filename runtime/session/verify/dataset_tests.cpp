#include <algorithm>
#include <thread>

#include "base/text.h"
#include "session/data.h"
#include "session/verify/guarded_fields.h"
#include "session/verify/stage.h"
#include "session/verify/test.h"

// Datasets: the same bytes for the same index, at any time, on any thread, and none beyond.

namespace hob::session::verify {
namespace {

// A dataset as the loader sees it, which checks its size and its fields.
struct Reader {
  explicit Reader(Bench& bench) : part{bench.make(world), {}}, source(make_source(part)) {}

  // The bytes of a sample, read into memory that holds `fill` before.
  std::string read(uint64_t index, unsigned char fill) const {
    GuardedFields fields(source.fields(), fill);
    data::Source::Scratch scratch = source.make_scratch();
    if (const auto failure = source.read(index, /*epoch=*/0, fields.views(), scratch)) {
      throw Failure(failure->text);
    }
    expect(fields.is_intact(), "reading sample " + std::to_string(index) +
                                   " wrote outside of the memory of its fields");
    return fields.contents();
  }

  host::World world{at::kCPU};
  DataPart part;
  data::Source source;
};

std::vector<uint64_t> some_indices(Bench& bench, uint64_t size) {
  std::vector<uint64_t> indices{0, size - 1};
  for (int i = 0; i < 30; ++i) indices.push_back(bench.below(size));
  return indices;
}

void has_samples_and_fields(Bench& bench) {
  std::optional<Reader> reader;
  bench.watch("size and fields", [&] { reader.emplace(bench); });
  bench.note(std::to_string(reader->source.size()) + " samples, " +
             std::to_string(reader->source.fields().size()) + " fields");
}

void reads_whole_samples(Bench& bench) {
  const Reader reader(bench);
  for (const uint64_t index : some_indices(bench, reader.source.size())) {
    std::string first, second;
    bench.watch("read", [&] { first = reader.read(index, 0x00); });
    second = reader.read(index, 0xff);
    expect(first == second, "sample " + std::to_string(index) +
                                ", read twice, has other bytes: some are left as they were, or "
                                "differ from time to time");
  }
}

void is_the_same_in_a_new_instance(Bench& bench) {
  const Reader first(bench), second(bench);
  const uint64_t size = first.source.size();
  expect(second.source.size() == size, "a second instance has another number of samples");
  for (const uint64_t index : some_indices(bench, size)) {
    expect(first.read(index, 0) == second.read(index, 0),
           "sample " + std::to_string(index) + " differs in a second instance");
  }
}

void is_the_same_on_threads(Bench& bench) {
  const Reader reader(bench);
  const std::vector<uint64_t> indices = some_indices(bench, reader.source.size());
  std::vector<std::string> expected;
  for (const uint64_t index : indices) expected.push_back(reader.read(index, 0));
  std::vector<std::string> complaints(4);
  {
    std::vector<std::jthread> threads;
    for (std::string& complaint : complaints) {
      const auto offset = static_cast<size_t>(&complaint - complaints.data());
      threads.emplace_back([&, offset] {
        try {
          for (size_t i = 0; i < indices.size(); ++i) {
            const size_t at = (i + offset * 7) % indices.size();
            if (reader.read(indices[at], 0) == expected[at]) continue;
            complaint = "sample " + std::to_string(indices[at]) + " differs on another thread";
          }
        } catch (const std::exception& error) {
          complaint = std::string("on another thread: ") + error.what();
        }
      });
    }
  }
  for (const std::string& complaint : complaints) expect(complaint.empty(), complaint);
}

}  // namespace

std::vector<Test> dataset_tests() {
  return {{"dataset.has_samples_and_fields", "dataset", has_samples_and_fields},
          {"dataset.reads_whole_samples", "dataset", reads_whole_samples},
          {"dataset.is_the_same_in_a_new_instance", "dataset", is_the_same_in_a_new_instance},
          {"dataset.is_the_same_on_threads", "dataset", is_the_same_on_threads}};
}

}  // namespace hob::session::verify
