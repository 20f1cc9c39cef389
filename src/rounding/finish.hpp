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
struct finishing {
  dtype input = dtype::f64;
  nan_policy nan = nan_policy::propagate;
  std::int64_t correction = 0;  ///< var, std
  std::int64_t count = 0;       ///< elements, for states that do not count them
};

/// Writes an operator's answer. Precondition: the state is of the accumulator that serves the
/// operator; `output` holds answers_of(what) elements of `type`. Fails: overflow (an integer output
/// that cannot hold the value), unsupported (an output type that the operator does not have),
/// empty, not_a_number (under nan_policy::error).
status finish(op what, const any_state& from, const finishing& how, void* output, dtype type);

/// The same for an ordered state. NaNs under omit and error were removed before.
status finish(op what, const ordered_state& from, const finishing& how, void* output, dtype type);

/// As finish, for the accumulators total, magnitudes, squares, products and moments.
status finish_exact_sum(op what, const any_state& from, const finishing& how, void* output,
                        dtype type);

/// As finish, each for its own state.
status finish_product(const detail::product& from, const finishing& how, void* output, dtype type);
status finish_log_sum(const detail::log_sum& from, const finishing& how, void* output, dtype type);

/// As finish, each for its own state.
status finish_extrema(op what, const detail::extrema& from, const finishing& how, void* output,
                      dtype type);
status finish_counts(op what, const detail::nonzero_counts& from, const finishing& how,
                     void* output, dtype type);
status finish_bits(op what, const detail::bit_fold& from, const finishing& how, void* output,
                   dtype type);

/// Writes a count or a position that was found without a state.
status finish_count(op what, std::int64_t answer, dtype input, void* output, dtype type);

}  // namespace onefold
