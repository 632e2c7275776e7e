// safetensors_copy <from> <to> [alias=target...]: reads weights and writes them as one file, by way
// of hob's reader and writer. For the test that compares both with Python's own.

#include <exception>
#include <iostream>
#include <string>
#include <vector>

#include "data/safetensors.h"

namespace data = hob::data;

int main(int argc, char** argv) {
  if (argc < 3) {
    std::cerr << "usage: safetensors_copy <from> <to> [alias=target...]\n";
    return 2;
  }
  try {
    auto reader = data::SafetensorsReader::open(argv[1]);
    data::Aliases aliases = reader.aliases();
    for (int i = 3; i < argc; ++i) {
      std::string pair = argv[i];
      auto middle = pair.find('=');
      aliases[pair.substr(0, middle)] = pair.substr(middle + 1);
    }
    std::vector<data::TensorSource> tensors;
    for (const data::StoredTensor& tensor : reader.tensors()) {
      tensors.push_back({tensor.name, tensor.type, tensor.shape,
                         [&](const data::ByteSink& sink) { sink(reader.read(tensor)); }});
    }
    data::write_safetensors(argv[2], tensors, reader.metadata(), aliases);
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
  return 0;
}
