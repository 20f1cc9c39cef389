// SPDX-License-Identifier: Apache-2.0
// Tasks, each of which fills the state of one accumulator on one thread: one function for each kind
// of state, and the two that choose by accumulator.
#pragma once

#include <memory>

#include "cpu/tasks/task.hpp"
#include "onefold/accuracy.hpp"
#include "onefold/dtype.hpp"
#include "state/accumulator.hpp"

namespace onefold::cpu {

/// A task of an exact accumulator: total, magnitudes, squares, products, moments. It drains to
/// exact_sum<T> (total, magnitudes), exact_dot<T> (squares, products) or exact_moments<T>, where T
/// is the input type, std::int64_t for integers and booleans. Products: both views are of the input
/// type. The loops are those of the SIMD target that is active now.
std::unique_ptr<task> make_exact_task(accumulator accumulator, dtype input);

/// A task whose states are fast_total or fast_moments; its pieces are chunks: of chunk_items
/// elements but for the last, and none is empty. Of another accumulator than total, magnitudes,
/// squares, products and moments: nullptr.
std::unique_ptr<ordered_task> make_fast_task(accumulator accumulator, dtype input);

/// For min, max, argmin, argmax, minmax, norminf; drains into detail::extrema.
std::unique_ptr<task> make_extrema_task(dtype input);

/// For any, all, count, count_nonzero; drains into detail::nonzero_counts.
std::unique_ptr<task> make_counts_task(dtype input);

/// For bit_and, bit_or, bit_xor; drains into detail::bit_fold.
/// Precondition: integers or bool; null for floats.
std::unique_ptr<task> make_bits_task(dtype input);

/// For prod; every piece gives a detail::product. Floats: within the bound of detail::product,
/// whatever the accuracy. Integers: exact while 64 bits hold the magnitude, or modulo 2^64 where
/// fast.
std::unique_ptr<ordered_task> make_product_task(dtype input, accuracy accuracy);

/// For sums of exponentials; drains into detail::exponential_sum<float>, or <double> of f64 and
/// integers.
std::unique_ptr<task> make_exponentials_task(dtype input);

/// Precondition: the accumulator's states commute.
inline std::unique_ptr<task> make_task(accumulator accumulator, dtype input) {
  switch (accumulator) {
  case accumulator::extrema:
    return make_extrema_task(input);
  case accumulator::counts:
    return make_counts_task(input);
  case accumulator::bits:
    return make_bits_task(input);
  case accumulator::exponentials:
    return make_exponentials_task(input);
  default:
    return make_exact_task(accumulator, input);
  }
}

/// Precondition: the accumulator is ordered under this accuracy.
inline std::unique_ptr<ordered_task> make_ordered_task(accumulator accumulator, dtype input,
                                                       accuracy accuracy) {
  switch (accumulator) {
  case accumulator::product:
    return make_product_task(input, accuracy);
  default:
    return make_fast_task(accumulator, input);
  }
}

}  // namespace onefold::cpu
