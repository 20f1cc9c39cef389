// SPDX-License-Identifier: Apache-2.0
// Reductions of segments: many answers over ranges of one array.
#pragma once

#include <cstdint>
#include <span>

#include "cpu/drivers/answers.hpp"
#include "request/reduction.hpp"

namespace onefold::cpu {

/// Precondition: the plan reduces one axis in logical order; the offsets were checked; the outputs
/// have offsets.size() - 1 answers. Fails: as reduce_outputs.
status reduce_segments(const reduction& reduction, std::span<const std::int64_t> offsets,
                       std::span<const output_view> outputs, const few_answers& few = {});

/// Whether the offsets do not decrease and are within 0 … items. A stop request ends the check
/// early: what follows is cancelled.
bool offsets_are_sound(std::span<const std::int64_t> offsets, std::int64_t items, int threads,
                       const std::stop_token& stop);

}  // namespace onefold::cpu
