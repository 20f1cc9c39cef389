// SPDX-License-Identifier: Apache-2.0
#pragma once
// Fast answers in several parts, chunks of rows or bands of columns: the tree above them.
//
// Neighbours are joined level by level, and one that has none stays as it is: that is the tree of
// docs/specification.md, section 3. Lanes and chunks have powers of two of parts, which are
// subtrees.

#include "cuda/many/answers.cuh"
#include "cuda/many/fast/answer.cuh"
#include "cuda/many/fast/shape.hpp"
#include "cuda/parts/lanes.cuh"

namespace onefold::cuda {

struct fast_parts_arguments {
  many_arguments of;  ///< partials[answers][parts], numbers as words
  fast_parts_shape shape;
  std::int64_t* next;  ///< of several chunks: their sums [answers][chunks]
};

/// The sum of the first `count` > 0 of the Run parts of a lane, numbers as words.
template <class T, int Run = fast_parts_run, class Parts>
ONEFOLD_DEVICE T tree_of_run(const Parts& parts, std::int64_t count) {
  T x[Run];
  ONEFOLD_UNROLL
  for (int i = 0; i < Run; ++i)
    if (i < count) x[i] = T(__builtin_bit_cast(double, parts[i]));
  ONEFOLD_UNROLL
  for (int apart = 1; apart < Run; apart *= 2) {
    ONEFOLD_UNROLL
    for (int i = 0; i + apart < Run; i += 2 * apart)
      if (i + apart < count) x[i] += x[i + apart];
  }
  return x[0];
}

/// Shape:  parts > 0 partials of each answer; any grid, a block of fast_parts_threads.
/// Error:  docs/numerics/fast.md, Theorem F2, and docs/numerics/intervals.md, section 5.
/// Order:  the CPU's: the same bits in any grid.
template <class T>
__global__ void __launch_bounds__(fast_parts_threads) many_fast_parts(fast_parts_arguments a) {
  __shared__ T sums[fast_parts_threads];
  const unsigned lanes = a.shape.lanes, place = threadIdx.x % lanes;
  const std::int64_t in_block = fast_parts_threads / lanes, tasks = a.of.answers() * a.shape.chunks;
  ONEFOLD_ROLLED
  for (std::int64_t first = blockIdx.x * in_block; first < tasks; first += gridDim.x * in_block) {
    const std::int64_t task = first + threadIdx.x / lanes, k = task / a.shape.chunks;
    const std::int64_t begin = ((task - k * a.shape.chunks) * lanes + place) * fast_parts_run;
    const bool here = task < tasks && begin < a.of.parts;
    T sum = 0;
    if (here) sum = tree_of_run<T>(a.of.partials + k * a.of.parts + begin, a.of.parts - begin);
    ONEFOLD_ROLLED
    for (unsigned apart = 1; apart < lanes; apart *= 2) {
      sums[threadIdx.x] = sum;
      __syncthreads();
      const bool joins = place % (2 * apart) == 0 && begin + apart * fast_parts_run < a.of.parts;
      if (here && joins) sum += sums[threadIdx.x + apart];
      __syncthreads();
    }
    if (!here || place != 0) continue;
    if (a.shape.chunks > 1)
      a.next[task] = word_of_number(sum);
    else
      write_fast(sum, a.of.form, a.of.out, k);
  }
}

}  // namespace onefold::cuda
