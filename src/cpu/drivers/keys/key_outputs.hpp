// SPDX-License-Identifier: Apache-2.0
// The caller's outputs of a reduction by key.
#pragma once

#include <cstdint>
#include <vector>

#include "cpu/drivers/keys/key_order.hpp"
#include "onefold/groups.hpp"
#include "onefold/status.hpp"
#include "request/reduction.hpp"

namespace onefold::cpu {

/// Requests outputs for so many groups and checks them. Fails: mismatch (shape of the answers).
result<group_outputs> make_outputs(const reduction& reduction, std::int64_t groups,
                                   const group_maker& make);

/// Sorts keys and their answers, one for each key, by key. Fails: cancelled. Throws std::bad_alloc.
status sort_groups(std::int64_t groups, dtype key_type, const group_outputs& outputs, int threads,
                   const std::stop_token& stop);

}  // namespace onefold::cpu
