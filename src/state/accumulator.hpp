// SPDX-License-Identifier: Apache-2.0
// Properties of accumulators (onefold/op.hpp) that decide which kind of state they have.
#pragma once

#include "onefold/accuracy.hpp"
#include "onefold/op.hpp"

namespace onefold {

/// Whether there is a fast implementation, whose states count no NaNs.
constexpr bool has_fast_form(accumulator what) noexcept {
  return what <= accumulator::moments;
}

/// Whether the states of parts merge only in order: those of an ordered_state.
constexpr bool is_ordered(accumulator what, accuracy how) noexcept {
  return what == accumulator::product || what == accumulator::log_sum ||
         (how == accuracy::fast && has_fast_form(what));
}

}  // namespace onefold
