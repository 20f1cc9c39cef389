// SPDX-License-Identifier: Apache-2.0
#pragma once
// One function per data file of an image twin.

#include "ladder/rung/rungs.hpp"

namespace onefold::ladder {

rung published_rows_512_rung();
rung published_rows_atomic_rung();

}  // namespace onefold::ladder
