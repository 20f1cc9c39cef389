// SPDX-License-Identifier: Apache-2.0
// Rounding the state of a fast reduction to its answer.
#pragma once

#include <cstdint>

#include "onefold/dtype.hpp"
#include "onefold/op.hpp"
#include "onefold/status.hpp"
#include "state/ordered_state.hpp"

namespace onefold {

/// The parameters of an answer besides its state.
struct fast_answer {
  onefold::op op = onefold::op::sum;
  dtype input = dtype::f64;
  std::int64_t count = 0;  ///< elements reduced
  double correction = 0;   ///< finite; for var and std: squares are divided by count - correction
};

/// Writes the answer. sum, norm1, sumsq, dot: the state, converted once. mean, norm2, var, std:
/// computed from the state by binary64 divisions and roots, then converted once. Without elements:
/// sums +0, means and variances NaN; a variance also where count <= correction. Integers wrap
/// around. Precondition: the state is of accumulator_of(op); the thread is inside a
/// float_environment. Fails: unsupported (an integer output where the answer is floating).
status write_fast(const ordered_state& value, const fast_answer& request, void* output, dtype type);

}  // namespace onefold
