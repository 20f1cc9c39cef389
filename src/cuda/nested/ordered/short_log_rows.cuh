// SPDX-License-Identifier: Apache-2.0
#pragma once
// Sums of exponentials of short rows of f64.

#include "cuda/nested/ordered/log_finish.cuh"
#include "cuda/nested/ordered/short_rows.cuh"
#include "cuda/ordered/chunk_top.cuh"

namespace onefold::cuda {

template <class T>
ONEFOLD_DEVICE chunk_top<T> top_of_short_row(short_row<T> row) {
  place_ends<T> ends;
  row.for_each([&](auto some) {
    ONEFOLD_UNROLL
    for (int i = 0; i < some.count; ++i) {
      if (!some.has(i)) continue;
      const folds::place_type<T> one = folds::place_of<T>(some.x[i]);
      ends.take({one, one});
    }
  });
  ends.template fold<row.lanes>();
  if (!any_lane(ends.have_nan())) return chunk_top<T>(ends);
  chunk_top<T> top;
  row.for_each([&](auto some) {
    ONEFOLD_ROLLED
    for (int i = 0; i < some.count; ++i)
      if (some.has(i)) top.take(some.x[i]);
  });
  top.template fold<row.lanes>();
  return top;
}

/// The sum of exp(x - largest), in each lane of the row; of no use if top.none(). The virtual lanes
/// of so few elements are one block of exponential_lanes and a row that is not whole: no sums but
/// one after the other.
template <class T>
ONEFOLD_DEVICE double sum_of_short_row(short_row<T> row, const chunk_top<T>& top) {
  double sums[row.slots] = {};
  const double largest = top.value();
  const bool near = !any_lane(!top.near);
  row.for_each([&](auto some) {
    double next[some.count];
    ONEFOLD_UNROLL
    for (int i = 0; i < some.count; ++i)
      next[i] = some.has(i) ? double_of<T>(some.x[i]) - largest : -INFINITY;
    __syncwarp();  // or the compiler computes them one by one, each a chain of latencies
    if (some.all && near)
      exponentials_of<true>(next);
    else
      exponentials_of<false>(next);
    ONEFOLD_UNROLL
    for (int i = 0; i < some.count; ++i) sums[i] += next[i];
  });
  return row.fold(sums);
}

template <class T>
ONEFOLD_DEVICE void log_sums_of_short_rows(const nested_request& of, std::int64_t* words) {
  held_log_sums held(of);
  for_each_short_row<T>(of, true, [&](std::int64_t k, short_row<T> row) {
    const chunk_top<T> top = top_of_short_row(row);
    const double found = sum_of_short_row(row, top);
    const double sum = top.none() ? 0 : found, shift = top.none() ? 0 : top.value();
    if (of.finish.size > 0) {
      const log_sum_parts parts = {top.nans, shift, sum, top.infinite()};
      held.template take<row.lanes>(parts, k < 0 ? k : of.first_output + k);
    } else if (k >= 0 && row.own_lane() == 0) {
      std::int64_t* const to = words + k * of.state_words;
      to[0] = word_of_number(shift), to[1] = word_of_number(sum);
      to[2] = top.nans, to[3] = top.infinite(), to[4] = row.count();
    }
  });
  held.template finish<short_row<T>::lanes>();
}

}  // namespace onefold::cuda
