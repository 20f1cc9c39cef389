// SPDX-License-Identifier: Apache-2.0
#pragma once
// reduce/one-launch: the block that ends last folds the partials.
//
// Blocks cannot wait for each other, but each can tell whether it is the last: it publishes its
// partial, then draws a ticket. The fence before the ticket makes the partial visible to whoever
// sees the ticket drawn; the fence behind it makes the last block see the partials of all that
// drew before. The last block reads the partials in the order of the blocks, not of their ends:
// the same input gives the same bits whoever comes last. The ticket counter wraps to zero at the
// last draw, ready for the next launch.

#include "ladder/operators.cuh"
#include "ladder/reduce/vector.cuh"

#include <cstddef>

namespace onefold::ladder {

/// Draws a ticket after publishing what this lane wrote; true for the last of the grid. One lane
/// of each block must call it.
inline __device__ bool draw_last_ticket(unsigned* ticket) {
  __threadfence();
  const bool last = atomicInc(ticket, gridDim.x - 1) == gridDim.x - 1;
  __threadfence();
  return last;
}

/// Shape:  in[n], n >= 0, aligned to T; partials[grid], of which the first becomes the answer;
///         *ticket is zero before and after; block a power of two; any grid.
/// Order:  not that of the elements: the operator must commute; the same in every run. Lane 0 of
///         the last block writes the answer.
template <class T, class Operator>
__global__ void reduce_one_launch(const T* in, std::size_t n, T* partials, unsigned* ticket) {
  ONEFOLD_DYNAMIC_SHARED(T, warps);
  __shared__ bool is_last;

  T value = fold_block<Operator>(fold_share<Operator>(in, n), warps);
  if (threadIdx.x == 0) {
    partials[blockIdx.x] = value;
    is_last = draw_last_ticket(ticket);
  }
  __syncthreads();
  if (!is_last) return;

  value = Operator::identity;
  for (unsigned b = threadIdx.x; b < gridDim.x; b += blockDim.x) {
    value = Operator::fold(value, partials[b]);
  }
  value = fold_block<Operator>(value, warps);
  if (threadIdx.x == 0) partials[0] = value;
}

}  // namespace onefold::ladder
