// SPDX-License-Identifier: Apache-2.0
// One answer of a few elements that lie side by side: a loop of many answers gives it, without a
// state or a task.
#pragma once

#include "onefold/array_view.hpp"
#include "onefold/op.hpp"
#include "onefold/options.hpp"
#include "request/reduction.hpp"

namespace onefold::cpu {

/// Writes the answer of a plan of one answer. False: the loops do not serve the request, or leave
/// it undecided; nothing is written.
bool reduce_few(const reduction& of, const output_view& output);

/// The same of one axis without a plan, whose making takes longer than the sum. False also where
/// something is wrong with the request: who asks makes the plan then, which says what.
/// Precondition: this_machine() succeeds.
bool reduce_few(op what, const array_view& x, const output_view& output, const options& how);

}  // namespace onefold::cpu
