// SPDX-License-Identifier: Apache-2.0
// The caller's room for groups.
#pragma once

#include <cstdint>
#include <vector>

#include "cpu/drivers/keys/key_order.hpp"
#include "onefold/groups.hpp"
#include "onefold/status.hpp"
#include "request/reduction.hpp"

namespace onefold::cpu {

/// Asks for room and looks at it. Fails: mismatch (shape of the answers).
result<group_outputs> make_outputs(const reduction& of, std::int64_t groups,
                                   const group_maker& make);

/// Brings keys and their answers, one each, into ascending order. Fails: std::bad_alloc.
void sort_groups(std::int64_t groups, dtype key_type, const group_outputs& of, int threads);

}  // namespace onefold::cpu
