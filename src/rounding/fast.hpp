// SPDX-License-Identifier: Apache-2.0
// State of a fast reduction to value.
#pragma once

#include <cstdint>

#include "onefold/dtype.hpp"
#include "onefold/op.hpp"
#include "onefold/status.hpp"
#include "state/ordered_state.hpp"

namespace onefold {

/// What an answer needs beside its state.
struct fast_answer {
  op what = op::sum;
  dtype input = dtype::f64;
  std::int64_t count = 0;       ///< elements reduced
  std::int64_t correction = 0;  ///< of var and std: squares are divided by count - correction
};

/// Writes the answer of sum, norm1, sumsq, dot: the state, converted once. mean, norm2, var, std:
/// of the state by binary64 divisions and roots, then converted once. Of nothing: sums +0, means
/// and variances NaN; also a variance where count <= correction. Integers wrap.
/// Precondition: the state is of family_of(what); the thread is inside a float_environment.
/// Fails: unsupported (an integer output where the answer is floating).
status write_fast(const ordered_state& value, const fast_answer& asked, void* output, dtype type);

}  // namespace onefold
