// SPDX-License-Identifier: Apache-2.0
// Exact sums by key, for keys in any order.
#pragma once

#include "onefold/groups.hpp"
#include "onefold/status.hpp"
#include "request/reduction.hpp"

namespace onefold::cpu {

/// Whether sum_by_key serves the request: exact sum, mean, norm1, count, count_nonzero.
bool sums_by_key(const plan& plan);

/// As reduce_by_key. Precondition: sums_by_key.
status sum_by_key(const reduction& reduction, const array_view& keys, const group_maker& make);

}  // namespace onefold::cpu
