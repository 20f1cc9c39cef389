// SPDX-License-Identifier: Apache-2.0
#pragma once
// Fast answers in several parts, chunks of rows or bands of columns: the tree above them.
//
// Neighbours are joined level by level, and one that has none stays as it is: that is the tree of
// docs/specification.md, section 3. A lane has a run of a power of two of parts, which is a
// subtree.

#include "cuda/many/fast_answer.cuh"
#include "cuda/many/shape.hpp"
#include "cuda/many/terms.cuh"

namespace onefold::cuda {

struct fast_parts_arguments {
  many_arguments of;  ///< partials[answers][parts], numbers as words
  fast_parts_shape shape;
};

/// The sum of up to fast_parts_least_run parts; count > 0.
template <class T>
ONEFOLD_DEVICE T tree_of_few(const std::int64_t* parts, std::int64_t count) {
  constexpr int loads = int(fast_parts_least_run);
  T x[loads];
  ONEFOLD_UNROLL
  for (int i = 0; i < loads; ++i)
    if (i < count) x[i] = T(__builtin_bit_cast(double, parts[i]));
  ONEFOLD_UNROLL
  for (int apart = 1; apart < loads; apart *= 2) {
    ONEFOLD_UNROLL
    for (int i = 0; i + apart < loads; i += 2 * apart)
      if (i + apart < count) x[i] += x[i + apart];
  }
  return x[0];
}

/// The sum of count > 0 parts, fewer than 2^31: a binary counter of complete trees of few.
template <class T>
ONEFOLD_DEVICE T tree_of_parts(const std::int64_t* parts, std::int64_t count) {
  T pending[32];  // the heaviest first
  int depth = 0;
  ONEFOLD_ROLLED
  for (std::int64_t i = 0; i < count; i += fast_parts_least_run) {
    T made = tree_of_few<T>(parts + i, count - i);
    ONEFOLD_ROLLED
    for (std::int64_t left = i / fast_parts_least_run; left % 2 == 1; left /= 2)
      made = pending[--depth] + made;
    pending[depth++] = made;
  }
  T made = pending[--depth];
  ONEFOLD_ROLLED
  while (depth > 0) made = pending[--depth] + made;
  return made;
}

/// Shape:  parts > 0 partials of each answer; any grid, a block of fast_parts_threads.
/// Error:  docs/numerics/fast.md, Theorem F2, and docs/numerics/brackets.md, section 5.
/// Order:  the CPU's: the same bits in any grid.
template <class T>
__global__ void __launch_bounds__(fast_parts_threads) many_fast_parts(fast_parts_arguments a) {
  __shared__ T sums[fast_parts_threads];
  const unsigned lanes = a.shape.lanes, place = threadIdx.x % lanes;
  const std::int64_t in_block = fast_parts_threads / lanes, begin = place * a.shape.run;
  ONEFOLD_ROLLED
  for (std::int64_t first = blockIdx.x * in_block; first < a.of.answers();
       first += gridDim.x * in_block) {
    const std::int64_t k = first + threadIdx.x / lanes;
    const bool here = k < a.of.answers() && begin < a.of.parts;
    T sum = 0;
    if (here)
      sum = tree_of_parts<T>(a.of.partials + (k * a.of.parts + begin),
                             min(a.shape.run, a.of.parts - begin));
    ONEFOLD_ROLLED
    for (unsigned apart = 1; apart < lanes; apart *= 2) {
      sums[threadIdx.x] = sum;
      __syncthreads();
      const bool joins = place % (2 * apart) == 0 && begin + apart * a.shape.run < a.of.parts;
      if (here && joins) sum += sums[threadIdx.x + apart];
      __syncthreads();
    }
    if (here && place == 0) write_fast(sum, a.of.form, a.of.out, k);
  }
}

}  // namespace onefold::cuda
