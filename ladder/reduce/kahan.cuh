// SPDX-License-Identifier: Apache-2.0
#pragma once
// reduce/kahan: every addition keeps what it rounds off.
//
// The rounding error of an addition is itself a float, and a few more additions find it (two_sum).
// A second number a lane adds these errors up and is added to the sum once, at the end: the answer
// is as good as that of twice as many bits, rounded once. It is still no exact sum: the errors'
// sum rounds too, and where the elements cancel, that is what is left.
//
// Error: u |S| + O(n^2 u^2) sum|x|, S the exact sum. Source: compensated.cuh.

#include "ladder/dot/compensated.cuh"
#include "ladder/operators.cuh"
#include "ladder/reduce/one_launch.cuh"
#include "ladder/reduce/vector_parts.cuh"

#include <cstddef>

namespace onefold::ladder {

template <class T>
struct compensated_sum {
  __device__ __forceinline__ static compensated<T> fold(compensated<T> a, T x) {
    a.add(x);
    return a;
  }
};

/// Shape:  in[n], n >= 0, aligned to T; *out; pairs[2 * grid]; *ticket is zero before and after;
///         block a power of two; any grid; dynamic shared memory for two T a lane.
/// Order:  the same in every run, another one for another grid.
template <class T>
__global__ void reduce_kahan(const T* in, std::size_t n, T* out, T* pairs, unsigned* ticket) {
  ONEFOLD_DYNAMIC_SHARED(T, sums);
  __shared__ bool is_last;

  leave_compensated(fold_share_onto<compensated_sum<T>>(compensated<T>(), in, n), sums, pairs);
  if (threadIdx.x == 0) is_last = draw_last_ticket(ticket);
  __syncthreads();
  if (!is_last) return;

  compensated<T> value;
  for (unsigned b = threadIdx.x; b < gridDim.x; b += blockDim.x) {
    value.add(pairs[b], pairs[gridDim.x + b]);
  }
  leave_compensated(value, sums, pairs);
  if (threadIdx.x == 0) {
    *out = compensated<T>{pairs[blockIdx.x], pairs[gridDim.x + blockIdx.x]}.value();
  }
}

}  // namespace onefold::ladder
