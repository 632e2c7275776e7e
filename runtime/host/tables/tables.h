#pragma once

#include <hob/abi/autograd.h>
#include <hob/abi/core.h>
#include <hob/abi/cuda.h>
#include <hob/abi/ops.h>
#include <hob/abi/params.h>
#include <hob/abi/segments.h>
#include <hob/abi/sockets.h>

// The tables of functions that plugins call, each in the file of its name.

namespace hob::host {

extern const hob_core kCoreTable;
extern const hob_ops kOpsTable;
extern const hob_autograd kAutogradTable;
extern const hob_cuda kCudaTable;
extern const hob_params kParamsTable;
extern const hob_sockets kSocketsTable;
extern const hob_segments kSegmentsTable;

}  // namespace hob::host
