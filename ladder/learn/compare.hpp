// SPDX-License-Identifier: Apache-2.0
#pragma once
// The counts of a rung at the launch of a learner's kernel.

#include "ladder/try/try.hpp"

namespace onefold::ladder {

/// Empty: the rung has no kernel for that launch.
std::optional<simt::counts> counts_of_rung(const std::string& name, const try_launch& launch);

}  // namespace onefold::ladder
