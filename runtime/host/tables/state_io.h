#pragma once

#include <hob/abi/types.h>

#include <string>
#include <string_view>

#include "host/tables/state.h"
#include "host/tables/value.h"

// How an instance's save and load see a State. A list of tensors "m" is kept as its length "m[]"
// and tensors "m[0]", "m[1]", ...; hence no name of a plugin's holds a bracket.

struct hob_writer {
  explicit hob_writer(hob::host::State& state) : state_(state) {}
  // Refuses a bad name, and a name that was written before.
  void write(std::string_view name, const hob_value& value);

 private:
  void write_list(const std::string& name, const hob_list& list);

  hob::host::State& state_;
};

struct hob_reader {
  explicit hob_reader(const hob::host::State& state) : state_(state) {}
  // HOB_VALUE_NONE for a name that was not written. Strings and arrays point into the state.
  hob_value read(std::string_view name);

 private:
  const hob::host::State& state_;
  hob::host::StringArrays strings_;
};
