// SPDX-License-Identifier: Apache-2.0
// Which kind of state an accumulator has, by the table of accumulators (onefold/op.hpp).
#pragma once

#include <type_traits>

#include "onefold/accuracy.hpp"
#include "onefold/op.hpp"

namespace onefold {

/// Whether there is a fast implementation, whose states count no NaNs.
constexpr bool has_fast_form(accumulator accumulator) noexcept {
  return detail::has_trait(accumulator, detail::has_fast_states);
}

/// Whether the states of parts merge only in order: those of an ordered_state.
constexpr bool is_ordered(accumulator accumulator, accuracy accuracy) noexcept {
  return detail::has_trait(accumulator, detail::merges_in_order) ||
         (accuracy == accuracy::fast && has_fast_form(accumulator));
}

template <accumulator Of>
using sum_tag = std::integral_constant<accumulator, Of>;

/// Calls f(sum_tag) with the accumulator of a sum other than moments; of others the answer is
/// Made{}.
template <class Made, class F>
Made with_sum(accumulator accumulator, F&& f) {
  switch (accumulator) {
  case accumulator::total:
    return f(sum_tag<accumulator::total>());
  case accumulator::magnitudes:
    return f(sum_tag<accumulator::magnitudes>());
  case accumulator::squares:
    return f(sum_tag<accumulator::squares>());
  case accumulator::products:
    return f(sum_tag<accumulator::products>());
  default:
    return {};
  }
}

}  // namespace onefold
