// SPDX-License-Identifier: Apache-2.0
#pragma once
// Kernels that use every word once and write down whether it gave what CUDA says, and kernels
// whose counts have closed forms.

#include "simt/launch.hpp"

namespace onefold::simt::test {

/// A lane writes 1 to out[fact * threads + thread] for each fact that is true.
struct fact_kernel {
  const char* name;
  unsigned facts;
  void (*launch)(executor&, const launch_config&, int* out);
};
extern const fact_kernel fact_kernels[];
extern const std::size_t fact_kernel_count;

/// What one block of 64 lanes of warps of 32 does is given with the expected counts.
enum class counted_kernel {
  shuffle_tree,        ///< five shuffles for each warp
  shuffles_of_halves,  ///< one for each half of a warp
  every_vote,          ///< ballot, any, all, then match and reduction
  fences_and_syncs,    ///< a fence of either scope and two __syncwarp
  atomics_on_one,      ///< all lanes on one global word, and on one of shared memory
  atomics_in_a_row,    ///< lane i on word i
  atomics_apart,       ///< lane i on word 8 i
  atomics_of_8_bytes,  ///< lane i on double i
  copies_and_clears,   ///< lane 0: 8 words to shared memory and back, 8 words cleared
  counted_tree,        ///< a tree of the block's 64 counted elements, from shared memory
};
void launch_counted(executor& device, const launch_config& config, counted_kernel which, int* out);

}  // namespace onefold::simt::test
