// SPDX-License-Identifier: Apache-2.0
#pragma once
// Fast sums of columns, in the order of docs/specification.md, section 3: groups of 16 rows, each
// summed apart, bands of 64 groups, added in turn, and a tree of bands.
//
// A lane has a vector of neighbouring columns and a band of their rows. Neighbouring lanes have
// neighbouring vectors, as far as a row goes. Of narrow columns a block or a warp has a band.

#include "cuda/many/columns/columns.cuh"
#include "cuda/many/fast/answer.cuh"
#include "cuda/many/fast/banded.cuh"
#include "cuda/many/fast/narrow.cuh"
#include "cuda/parts/lanes.cuh"
#include "request/tuning.hpp"

namespace onefold::cuda {

/// Of a band of a column so far.
template <class T>
struct fast_column {
  T total = T(-0.0), group = T(-0.0);
  int rows = 0;  // of the group

  ONEFOLD_DEVICE void add(T term) {
    group += term;
    if (++rows < int(tuning::group_rows)) return;
    total += group;
    group = T(-0.0), rows = 0;
  }
  ONEFOLD_DEVICE T sum() const { return rows > 0 ? total + group : total; }
};

template <accumulator Accumulator, class T>
struct fast_column_terms {
  using element = T;
  using bits = typename detail::float_format<T>::bits;
  using sum = fast_column<T>;
  ONEFOLD_DEVICE static T term(T x) {
    return Accumulator == accumulator::squares      ? x * x
           : Accumulator == accumulator::magnitudes ? T(fabs(x))
                                                    : x;
  }
  ONEFOLD_DEVICE static void add(sum& to, bits a) { to.add(term(detail::from_bits<T>(a))); }
};

struct fast_columns_arguments {
  columns_arguments by;
  narrow_shape narrow;
  banded_shape banded;
};

template <class Terms>
ONEFOLD_DEVICE void take_bands(const columns_arguments& a) {
  constexpr int items = vector_items<typename Terms::element>;
  const std::int64_t vectors = (a.of.inner + items - 1) / items * a.of.outer;
  const std::int64_t step = std::int64_t(gridDim.x) * blockDim.x;
  ONEFOLD_ROLLED
  for (std::int64_t task = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
       task < vectors * a.of.parts; task += step) {
    const std::int64_t band = task / vectors, begin = band * a.of.part;
    column_vector<Terms> mine(a, task - band * vectors);
    mine.take(begin, min(begin + a.of.part, a.of.n));
    mine.for_each([&](std::int64_t k, const typename Terms::sum& of) {
      if (a.of.parts == 1)
        write_fast(of.sum(), a.of.form, a.of.out, k);
      else
        a.of.partials[k * a.of.parts + band] = word_of_number(of.sum());
    });
  }
}

template <class Terms>
ONEFOLD_DEVICE void take_fast_columns(const fast_columns_arguments& a, std::int64_t* stages) {
  if (a.narrow.groups == 0) return take_bands<Terms>(a.by);
  if (a.banded.groups > 0)
    return banded_columns<Terms>(a.by.of, a.banded, stages).take(blockIdx.x, gridDim.x);
  const unsigned warp = threadIdx.x / warp_lanes, warps = blockDim.x / warp_lanes;
  narrow_columns<Terms>(a.by.of, a.narrow, stages + warp * narrow_words)
      .take(std::int64_t(blockIdx.x) * warps + warp, std::int64_t(gridDim.x) * warps);
}

/// Shape:  x[outer][n][inner], n > 0, aligned to T; out[outer][inner], or of several bands
///         partials[outer][inner][parts], which many_fast_parts joins; down == 1; any grid, a
///         block a multiple of 32, at most columns_threads; of narrow columns dynamic shared memory
///         for narrow_words of 64 bits a warp, by blocks banded_threads and banded_words.
/// Error:  docs/numerics/intervals.md, section 5.
/// Order:  the CPU's, in any grid.
template <class T>
__global__ void __launch_bounds__(banded_threads, column_blocks)
    many_fast_columns(fast_columns_arguments a, accumulator what) {
  ONEFOLD_DYNAMIC_SHARED(std::int64_t, stages);
  if (what == accumulator::squares)
    return take_fast_columns<fast_column_terms<accumulator::squares, T>>(a, stages);
  if (what == accumulator::total)
    return take_fast_columns<fast_column_terms<accumulator::total, T>>(a, stages);
  take_fast_columns<fast_column_terms<accumulator::magnitudes, T>>(a, stages);
}

}  // namespace onefold::cuda
