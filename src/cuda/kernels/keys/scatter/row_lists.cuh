// SPDX-License-Identifier: Apache-2.0
#pragma once
// Rows sorted by key, by counting: the order within a key is any, which no exact sum sees.

#include "cuda/kernels/keys/heads.cuh"
#include "cuda/kernels/keys/scatter/scatter_launch.hpp"

namespace onefold::cuda {

inline constexpr unsigned list_threads = 256;

/// Shape:  a.counts are zero, and become the rows of each key; a.ranks number those of a key; any
///         grid. Then, with `places`: a.offsets are the sums of the counts, and the lists are
///         written. Rows whose key is no answer are left out. Nothing where there is a table.
/// Error:  none.
/// Order:  none: which row of a key has which rank depends on the run.
static __global__ void __launch_bounds__(list_threads) list_rows(scatter_launch a, bool places) {
  if (a.is_tabled()) return;
  ONEFOLD_UNROLL_BY_4
  for (std::int64_t row = first_of_thread(); row < a.request.rows; row += all_threads()) {
    const std::int64_t key = a.request.key(row);
    if (key < 0 || key >= a.request.answers) continue;
    if (places)
      a.places[a.offsets[key] + a.ranks[row]] = std::uint32_t(row);
    else
      a.ranks[row] = atomicAdd(a.counts + key, 1u);
  }
}

}  // namespace onefold::cuda
