// Times the update of a recipe, again and again on one and the same window, so that data loading is
// left out:  update_bench RECIPE UPDATES REPEATS [overrides...]
// Prints one JSON object: the median of the repeats' mean time of an update, in microseconds.

#include <algorithm>
#include <chrono>
#include <iostream>
#include <string>
#include <vector>

#include "base/error.h"
#include "host/registry.h"
#include "recipe/recipe.h"
#include "session/data.h"
#include "session/forward.h"
#include "session/session.h"
#include "train/update.h"

namespace {

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

int run(int argc, char** argv) {
  const int updates = std::stoi(argv[2]);
  const int repeats = std::stoi(argv[3]);
  const std::vector<std::string> overrides(argv + 4, argv + argc);
  hob::session::Plugins plugins(hob::host::make_search_path({}));
  const auto recipe = hob::recipe::load_recipe(argv[1], overrides, plugins.catalogue(), nullptr);
  hob::session::Session session(recipe, plugins, /*resumes=*/false);
  const auto source = hob::session::make_source(session.train_data);
  const auto loader = hob::session::make_train_loader(session, source, {});
  const at::Device device = session.world.device();
  hob::data::Feed feed(*loader, device, hob::data::copy_stream(device));
  const auto step = feed.next();
  hob::session::Forward forward(session, source.fields());
  hob::train::Updater updater(session, forward);
  std::vector<double> times_us;
  uint64_t update = 0;
  for (int repeat = 0; repeat <= repeats; ++repeat) {
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < updates; ++i) updater.run(*step, update++, {}, /*measure=*/false);
    const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - begin;
    if (repeat > 0) times_us.push_back(took.count() / updates);  // the first one warms up
  }
  std::cout << "{\"update_us\": " << median(times_us)
            << ", \"min_us\": " << *std::min_element(times_us.begin(), times_us.end()) << "}\n";
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    std::cerr << "update_bench RECIPE UPDATES REPEATS [overrides...]\n";
    return 2;
  }
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}
