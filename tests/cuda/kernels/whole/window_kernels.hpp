// SPDX-License-Identifier: Apache-2.0
// The sums of small arrays by a window, and plain answers of digits, for the executor.
#pragma once

#include <cstdint>

#include "cuda/rounding/epilogue_outputs.hpp"
#include "onefold/dtype.hpp"
#include "simt/launch.hpp"
#include "state/accumulator.hpp"

namespace onefold::cuda::test {

/// The grid is one cluster. decided[threads]: what each thread says of the answer, and what is
/// ambiguous stays; null: the whole kernel, which leaves nothing.
void launch_window(simt::executor& gpu, const simt::launch_config& config, const void* x,
                   dtype input, std::int64_t n, const finish_list& list, bool* decided);

/// The same by a warp of the words of a state of exact sums; decided[32].
void launch_plain_finish(simt::executor& gpu, accumulator kind, dtype input,
                         const std::int64_t* words, std::int64_t n, const finish_list& list,
                         bool* decided);

}  // namespace onefold::cuda::test
