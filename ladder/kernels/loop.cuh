// SPDX-License-Identifier: Apache-2.0
// The table of the loop rungs and their published twins, for whichever engine compiles it.
#pragma once

#include "ladder/kernels/kernels.hpp"

namespace onefold::ladder::ONEFOLD_LADDER_ENGINE {

const kernel_table loop = {nullptr, 0};

}  // namespace onefold::ladder::ONEFOLD_LADDER_ENGINE
