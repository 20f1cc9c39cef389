// SPDX-License-Identifier: Apache-2.0
#pragma once
// Fast variances and deviations of short rows.

#include "cuda/nested/ordered/fast_moments.cuh"
#include "cuda/nested/ordered/short_rows.cuh"

namespace onefold::cuda {

template <class T>
ONEFOLD_DEVICE void spreads_of_short_rows(const nested_request& of) {
  using Number = fast_number<T>;
  held_spreads<Number> held(of);
  const bool asks = of.items * std::int64_t(sizeof(T)) <= asked_row_bytes;
  for_each_short_row<T>(of, asks, [&](std::int64_t k, short_row<T> row) {
    const auto sum_of = [&](const auto& term, chunk_moments<Number>& made) {
      made.count = row.count(), made.dropped = 0;
      Number sums[row.slots];
      ONEFOLD_UNROLL
      for (Number& sum : sums) sum = Number(-0.0);
      row.for_each([&](auto some) {
        ONEFOLD_UNROLL
        for (int i = 0; i < some.count; ++i)
          if (some.has(i)) sums[i] += term(number_of<T>(some.x[i]));
      });
      return row.fold(sums);
    };
    const auto made = moments_about(number_of<T>(row.first()), sum_of);
    held.template take<row.lanes>(made, k < 0 ? k : of.first_output + k);
  });
  held.template finish<short_row<T>::lanes>();
}

/// Shape:  answers of moments that has_short_rows names; block of nested_threads, any grid.
/// Error:  docs/numerics/fast.md, Theorem F3.
/// Order:  the CPU's: the bits of its moments of chunks, in any grid.
static __global__ void __launch_bounds__(nested_threads, 8)
    nested_short_spreads(const nested_request of, std::int64_t*) {
  if (of.input == dtype::f64)
    spreads_of_short_rows<double>(of);
  else if (of.input == dtype::f32)
    spreads_of_short_rows<float>(of);
  else if (of.input == dtype::f16)
    spreads_of_short_rows<f16>(of);
  else
    spreads_of_short_rows<bf16>(of);
}

}  // namespace onefold::cuda
