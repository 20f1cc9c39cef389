// SPDX-License-Identifier: Apache-2.0
// Properties of accumulators (onefold/op.hpp) that decide which kind of state they have.
#pragma once

#include "onefold/accuracy.hpp"
#include "onefold/op.hpp"

namespace onefold {

/// Whether there is a fast implementation, whose states count no NaNs.
constexpr bool has_fast_form(accumulator accumulator) noexcept {
  return accumulator <= accumulator::moments;
}

/// Whether the states of parts merge only in order: those of an ordered_state.
constexpr bool is_ordered(accumulator accumulator, accuracy accuracy) noexcept {
  return accumulator == accumulator::product || accumulator == accumulator::log_sum ||
         (accuracy == accuracy::fast && has_fast_form(accumulator));
}

}  // namespace onefold
