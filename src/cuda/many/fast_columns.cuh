// SPDX-License-Identifier: Apache-2.0
#pragma once
// Fast sums of columns, in the order of docs/specification.md, section 3: groups of 16 rows, each
// summed apart, and then added in turn.
//
// A lane has a vector of neighbouring columns and all of their rows; the order leaves the rows of a
// column to no other lane.

#include "cuda/many/columns.cuh"
#include "cuda/many/fast_answer.cuh"

namespace onefold::cuda {

/// Of a column so far.
template <class T>
struct fast_column {
  static constexpr int parts = 0;  ///< no lane has a share of another's column
  static constexpr int group_rows = 16;
  T total = T(-0.0), group = T(-0.0);
  int rows = 0;  // of the group

  ONEFOLD_DEVICE void add(T term) {
    group += term;
    if (++rows < group_rows) return;
    total += group;
    group = T(-0.0), rows = 0;
  }
  ONEFOLD_DEVICE void join(const fast_column&) {}
  template <class F>
  ONEFOLD_DEVICE void for_each_part(F&&) {}
};

template <class T>
ONEFOLD_DEVICE bool write_answer(const fast_column<T>& of, const answer_form& form, void* out,
                                 std::int64_t k) {
  write_fast(of.rows > 0 ? of.total + of.group : of.total, form, out, k);
  return true;
}

template <family Family, class T>
struct fast_column_terms {
  using element = T;
  using bits = typename detail::float_format<T>::bits;
  using sum = fast_column<T>;
  static constexpr int digits = 0;

  ONEFOLD_DEVICE static void add(sum& to, bits a) {
    const T x = detail::from_bits<T>(a);
    to.add(Family == family::squares ? x * x : Family == family::magnitudes ? fabs(x) : x);
  }
};

/// Shape:  as many_columns, with down == 1 and one part; n > 0; no shared memory.
/// Error:  docs/numerics/brackets.md, section 5.
/// Order:  the CPU's, in any grid.
template <class T>
__global__ void __launch_bounds__(columns_threads, column_blocks)
    many_fast_columns(columns_arguments a, family what) {
  if (what == family::squares)
    return take_columns<fast_column_terms<family::squares, T>>(a, nullptr);
  if (what == family::total) return take_columns<fast_column_terms<family::total, T>>(a, nullptr);
  take_columns<fast_column_terms<family::magnitudes, T>>(a, nullptr);
}

}  // namespace onefold::cuda
