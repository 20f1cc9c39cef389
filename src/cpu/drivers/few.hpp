// SPDX-License-Identifier: Apache-2.0
// One answer over a few contiguous elements, by a batched kernel, without states or tasks.
#pragma once

#include <span>

#include "onefold/array_view.hpp"
#include "onefold/op.hpp"
#include "onefold/options.hpp"
#include "request/reduction.hpp"

namespace onefold::cpu {

/// Writes the answer of a plan of one answer. False: the kernels do not support the request, or the
/// result is ambiguous; nothing is written.
bool reduce_few(const reduction& reduction, const output_view& output);

/// The same for one axis without a plan, which takes longer to make than the sum. Also false where
/// the request is invalid; the caller then makes the plan, which reports the error. Precondition:
/// this_machine() succeeds.
bool reduce_few(op op, std::span<const array_view> views, const output_view& output,
                const options& options);

/// The same under the default options, for an answer of the elements' type f32 or f64, of at most
/// 64 elements.
bool reduce_few(op op, const array_view& x, const array_view& y, void* output);

}  // namespace onefold::cpu
