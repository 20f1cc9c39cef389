// SPDX-License-Identifier: Apache-2.0
#pragma once
// One function per data file of a loop twin.

#include "ladder/rung/rungs.hpp"

namespace onefold::ladder {

rung published_loop_x2_rung();

}  // namespace onefold::ladder
