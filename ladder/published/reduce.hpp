// SPDX-License-Identifier: Apache-2.0
#pragma once
// One function per data file of a reduce twin.

#include "ladder/rung/rungs.hpp"

namespace onefold::ladder {

rung published_first_add_rung();

}  // namespace onefold::ladder
