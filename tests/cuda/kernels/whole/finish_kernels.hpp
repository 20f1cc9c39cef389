// SPDX-License-Identifier: Apache-2.0
// The finish of whole arrays alone, compiled for the executor.
#pragma once

#include <cstdint>

#include "cuda/rounding/epilogue_outputs.hpp"
#include "onefold/dtype.hpp"
#include "simt/launch.hpp"
#include "state/accumulator.hpp"

namespace onefold::cuda::test {

/// One block that finishes from the words of a state.
using finish_kernel = void (*)(simt::executor& gpu, simt::launch_config config,
                               const std::int64_t* words, const finish_list& list);

/// Whether the executor sees the stores of aggregates: clang makes intrinsics of them that are not
/// instrumented, so that reads of what they wrote look uninitialised.
bool aggregate_stores_are_seen();

/// Null where the family does not take the type.
finish_kernel sums_finish(accumulator kind, dtype input);  ///< also of moments
finish_kernel selection_finish(accumulator kind, dtype input);

}  // namespace onefold::cuda::test
