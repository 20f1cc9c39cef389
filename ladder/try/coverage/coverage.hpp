// SPDX-License-Identifier: Apache-2.0
#pragma once
// What is varied from launch to launch, and what is not: every report lists that.

#include "ladder/try/launch/session.hpp"
#include "ladder/try/launch/trials.hpp"

namespace onefold::ladder::learner {

/// Sizes that the kernel admits, besides the setup's own.
std::vector<unsigned> other_blocks(const session_plan& plan, const trial_setup& setup);

/// Whether lanes go on by the size of the grid.
bool fewer_blocks_are_enough(const session_plan& plan, const trial_setup& setup);

/// Kinds of elements, besides the usual ones.
std::vector<input_kind> special_elements(const session_plan& plan, const trial_setup& setup);

/// As whole sentences.
std::vector<std::string> untested_by(const session_plan& plan, const trial_setup& setup,
                                     const geometry_request& sizes);

}  // namespace onefold::ladder::learner
