// SPDX-License-Identifier: Apache-2.0
// One answer over up to few_floats contiguous floats or doubles, without options, plan, state or
// kernel.
#pragma once

#include <cstdint>

#include "onefold/op.hpp"

namespace onefold::cpu {

inline constexpr std::int64_t few_floats = 64;

/// Writes the exact answer of sum, mean, norm1, norm2, norminf, sumsq, dot (of x and y), var,
/// stddev, min or max under the default options. False: nothing is written, and reduce() has to
/// decide: other sizes, NaNs, infinities, sums that overflow, doubles whose magnitudes sum to less
/// than 2^-800 or more than 2^990, roundings that the bound leaves open.
bool reduce_span(op op, const float* x, const float* y, std::int64_t n, float* answer);
bool reduce_span(op op, const double* x, const double* y, std::int64_t n, double* answer);

}  // namespace onefold::cpu
