// sdk_bench PLUGIN: loads sdk_bench_plugin, has it measure itself, prints one JSON object.

#include <hob/abi/model.h>

#include <iostream>

#include "host/registry.h"
#include "host/tables/handles.h"
#include "session/plugins.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "sdk_bench PLUGIN\n";
    return 2;
  }
  try {
    hob::session::Plugins plugins(hob::host::make_search_path({argv[1]}));
    hob::recipe::Component component;
    component.schema = plugins.catalogue().find("model", "sdk_bench").component;
    hob::host::World world(at::kCPU);
    const auto model = plugins.make(component, "model", 0, &world);
    hob_named_tensor output{};
    uint32_t count = 0;
    model->call(&hob_model::forward, nullptr, 0u, &output, 1u, &count);
    const at::Tensor costs = hob::host::take(output.tensor);
    const auto* ns = costs.data_ptr<double>();
    std::cout << "{\"operator_ns\": " << ns[0] << ", \"socket_empty_ns\": " << ns[1]
              << ", \"socket_one_link_ns\": " << ns[2] << ", \"socket_four_links_ns\": " << ns[3]
              << ", \"segment_kept_ns\": " << ns[4] << "}\n";
    return 0;
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}
