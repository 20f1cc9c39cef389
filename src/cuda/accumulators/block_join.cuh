// SPDX-License-Identifier: Apache-2.0
#pragma once
// Sums of some threads of a block, joined in shared memory.

#include "cuda/accumulators/interval.cuh"

namespace onefold::cuda {

/// Parts of sums in memory, `apart` words from one to the next; what is not in it is that of
/// `sums`.
template <class Sums>
ONEFOLD_DEVICE Sums read_part(Sums sums, const std::int64_t* from, std::int64_t apart) {
  sums.for_each_part([&]<class Part>(Part& part) {
    part = __builtin_bit_cast(Part, *from);
    from += apart;
  });
  return sums;
}

/// Adds the sums of threads t + apart, t + 2 apart, … of each group of a block to those of its
/// threads t < apart, as a tree. Every thread calls it. none: a sum of nothing; meeting: shared
/// memory, [Sum::parts][blockDim.x].
template <class Sum>
ONEFOLD_DEVICE void join_groups(Sum& sum, const Sum& none, unsigned apart, unsigned group,
                                std::int64_t* meeting) {
  std::int64_t* const own = meeting + threadIdx.x;
  const unsigned place = threadIdx.x % group;
  ONEFOLD_ROLLED
  for (unsigned left = group; left > apart;) {  // threads of the group that have sums
    const unsigned half = (left + 2 * apart - 1) / (2 * apart) * apart;
    if (place < left) write_sum(sum, own, blockDim.x);
    __syncthreads();
    if (place + half < left) sum.join(read_part(none, own + half, blockDim.x));
    left = half;
  }
  __syncthreads();
}

}  // namespace onefold::cuda
