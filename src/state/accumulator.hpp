// SPDX-License-Identifier: Apache-2.0
// Which kind of state an accumulator has, by the table of accumulators (onefold/op.hpp).
#pragma once

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

}  // namespace onefold
