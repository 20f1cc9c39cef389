// SPDX-License-Identifier: Apache-2.0
// Reduction by key: one answer for each distinct key.
#pragma once

#include "onefold/groups.hpp"
#include "onefold/status.hpp"
#include "request/reduction.hpp"

namespace onefold::cpu {

/// Precondition: the plan reduces one axis in logical order; the keys are integers or bool, on one
/// axis of as many elements. Fails: mismatch (shape of the answers), and as reduce_segments.
status reduce_by_key(const reduction& reduction, const array_view& keys, const group_maker& make);

}  // namespace onefold::cpu
