// SPDX-License-Identifier: Apache-2.0
#pragma once
// The kernels of exact reductions of whole arrays under the executor, as they are and with one
// check switched off.

#include "cuda/rounding/epilogue_outputs.hpp"
#include "onefold/dtype.hpp"
#include "simt/launch.hpp"
#include "state/accumulator.hpp"

namespace onefold::test {

/// Ways that tiles went, counted on the device.
struct way_counts {
  unsigned long long fast_tiles = 0, moved_windows = 0, slow_ranges = 0, windows = 0,
                     binned_ranges = 0, wide_tiles = 0;
};

struct whole_arguments {
  const void* x;
  const void* y;
  std::int64_t n;
  void* workspace;
  std::int64_t* words;
  way_counts* counts;
  cuda::finish_list finish{};
};

struct whole_kernel {
  void (*launch)(simt::executor&, simt::launch_config, const whole_arguments&);
  int words;
  std::size_t workspace_bytes;
  std::int64_t tile_items;
};

/// `apart`: the loop that loads the second factors one by one.
whole_kernel exact_whole_kernel(onefold::accumulator kind, dtype input, bool apart = false);

/// Sums and norm1 of f32 and f16 in lanes of float32; without a check as mutant_kernel.
whole_kernel float_lanes_kernel(onefold::accumulator kind, dtype input,
                                const char* without = "nothing");

whole_kernel exact_integers_kernel(onefold::accumulator kind, dtype input, bool apart = false);

whole_kernel moments_kernel(dtype input);
/// As mutant_kernel.
whole_kernel moments_mutant(const char* without);

/// Of doubles, without one check of detail/round.hpp by its name; "nothing" leaves all of them in.
whole_kernel mutant_kernel(onefold::accumulator kind, dtype type, const char* without);

}  // namespace onefold::test
