// SPDX-License-Identifier: Apache-2.0
// The empty state of each accumulator and element type.
#pragma once

#include "onefold/state.hpp"
#include "state/accumulator.hpp"
#include "state/ordered_state.hpp"

namespace onefold {

/// The alternative of any_state that accumulates `what` over this element type.
any_state empty_state(accumulator accumulator, dtype input);

/// The same for an accumulator whose parts have an order; sums and moments have one under fast.
ordered_state empty_ordered_state(accumulator accumulator, dtype input);

/// Of a sum of exponentials of which nothing near its largest element is left.
status unknown_sum();

}  // namespace onefold
