// SPDX-License-Identifier: Apache-2.0
// Answers of segments and groups of too few elements: options::min_count, options::empty_value.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "cpu/drivers/answers.hpp"
#include "onefold/groups.hpp"
#include "onefold/status.hpp"
#include "request/reduction.hpp"

namespace onefold::cpu {

/// Whether answers depend on the number of elements.
bool needs_counts(const options& options);

using segments_run = std::function<status(const few_answers& few)>;

/// Calls `run`, which reduces segments to an output, with the answers that will be replaced, and
/// replaces those of too few elements. Fails: as `run`; empty (too few elements, and no
/// empty_value), mismatch (an empty_value that the output type does not hold).
status reduce_counted(const reduction& reduction, std::span<const std::int64_t> offsets,
                      const output_view& output, const segments_run& run);

using groups_run = std::function<status(const reduction& reduction, const group_maker& make)>;

/// The same for groups by key, of operators that have a value for none: `run` is called for the
/// answers, of which those of fewer than options::min_count elements may not fit, and for their
/// counts.
status reduce_counted(const reduction& reduction, const group_maker& make, const groups_run& run);

}  // namespace onefold::cpu
