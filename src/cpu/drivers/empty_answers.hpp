// SPDX-License-Identifier: Apache-2.0
// Answers of segments and groups of too few elements: options::min_count, options::empty_value.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "onefold/groups.hpp"
#include "onefold/status.hpp"
#include "request/reduction.hpp"

namespace onefold::cpu {

/// Whether answers depend on the number of elements.
bool needs_counts(const options& options);

using segments_run =
    std::function<status(std::span<const std::int64_t> offsets, const output_view& output)>;

/// Calls `run`, which reduces segments to an output, and replaces the answers of too few elements.
/// If the operator has no value for none, `run` gets only the segments that have elements that
/// count. Fails: as `run`; empty (too few elements, and no empty_value), mismatch (an empty_value
/// that the output type does not hold).
status reduce_counted(const reduction& reduction, std::span<const std::int64_t> offsets,
                      const output_view& output, const segments_run& run);

using groups_run = std::function<status(const reduction& reduction, const group_maker& make)>;

/// The same for groups by key, of operators that have a value for none: `run` is called for the
/// answers and for their counts.
status reduce_counted(const reduction& reduction, const group_maker& make, const groups_run& run);

}  // namespace onefold::cpu
