// SPDX-License-Identifier: Apache-2.0
// Kernels that add up the words of a grid's blocks, compiled for the executor.
#pragma once

#include <cstdint>

#include "simt/launch.hpp"

namespace onefold::cuda::test {

/// Where the words go, 17 (a short list) or 70 of them.
struct grid_fold {
  std::int64_t* out;     ///< the grid's words, by the block that has them
  unsigned* who_has_it;  ///< how many blocks have them
  void* workspace;
};

/// Word i of block b.
constexpr std::int64_t word_of_block(std::int64_t i, std::int64_t b) {
  return (i - 8) * 1'000'003 + b * b * (i % 2 == 0 ? 1 : -1);
}

std::size_t grid_workspace_bytes(int words);

/// By fold_blocks.
void launch_fold(simt::executor& gpu, simt::launch_config config, int words, const grid_fold& fold);

/// As if block i % blocks had ended word i: what happens where blocks add at the same time.
void launch_shared_end(simt::executor& gpu, simt::launch_config config, int words,
                       const grid_fold& fold);

}  // namespace onefold::cuda::test
