// SPDX-License-Identifier: Apache-2.0
// Rounding: the one place where a state becomes a value of an output type.
#pragma once

#include <cstdint>

#include "onefold/nan_policy.hpp"
#include "onefold/op.hpp"
#include "onefold/state.hpp"
#include "onefold/status.hpp"
#include "state/ordered_state.hpp"

namespace onefold {

/// The parameters of an answer besides its state.
struct rounding_context {
  dtype input = dtype::f64;
  nan_policy nan = nan_policy::propagate;
  double correction = 0;   ///< var, std; finite
  std::int64_t count = 0;  ///< elements, for states that do not count them
};

/// Writes an operator's answer. Precondition: the state is of the accumulator that serves the
/// operator; `output` holds answers_of(op) elements of `type`. Fails: overflow (an integer output
/// that cannot hold the value), unsupported (an output type that the operator does not have),
/// empty, not_a_number (under nan_policy::error).
status round_state(op op, const any_state& from, const rounding_context& context, void* output,
                   dtype type);

/// The same for an ordered state. NaNs under omit and error were removed before.
status round_state(op op, const ordered_state& from, const rounding_context& context, void* output,
                   dtype type);

/// As round_state, for the accumulators total, magnitudes, squares, products and moments.
status round_exact_sum(op op, const any_state& from, const rounding_context& context, void* output,
                       dtype type);

/// As round_state, for products of integers.
status round_integer_product(const detail::product& from, const rounding_context& context,
                             void* output, dtype type);

/// As round_state, for the states that write_selection (answer.hpp) rounds.
status round_selection(op op, const any_state& from, const rounding_context& context, void* output,
                       dtype type);

/// Writes a count or a position that was found without a state.
status round_count(op op, std::int64_t answer, dtype input, void* output, dtype type);

}  // namespace onefold
