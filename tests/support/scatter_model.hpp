// SPDX-License-Identifier: Apache-2.0
// Sums and means of rows by key, by their definition: each element by exact_sum alone.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "onefold/exact.hpp"
#include "onefold/scatter.hpp"
#include "request/row_scatter.hpp"

namespace onefold::test {

/// The element that a sum of rows writes to column `column` of an answer. T: the type of the rows.
template <class T>
T scattered(const row_scatter& request, std::int64_t answer, std::int64_t column) {
  const T* const x = static_cast<const T*>(request.x);
  exact_sum<T> sum;
  for (std::int64_t row = 0; row < request.rows; ++row) {
    const bool belongs = request.keys != nullptr
                             ? request.key(row) == answer
                             : request.offsets[answer] <= row && row < request.offsets[answer + 1];
    if (belongs) sum.add(x[row * request.stride + column]);
  }
  const std::int64_t rows = sum.count();
  if (request.initial != nullptr) {
    const T initial =
        static_cast<const T*>(request.initial)[answer * request.initial_stride + column];
    if (rows == 0) return initial;
    if (request.adds_initial) sum.add(initial);
  }
  if (!request.is_mean) return sum.template value<T>();
  if (request.adds_initial && !request.counts_initial) sum.note_elements(rows - sum.count(), true);
  return sum.template mean<T>();
}

}  // namespace onefold::test
