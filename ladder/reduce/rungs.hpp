// SPDX-License-Identifier: Apache-2.0
#pragma once
// One function per data file of this room.

#include "ladder/rung/rungs.hpp"

namespace onefold::ladder {

rung modulo_rung();
rung strided_rung();
rung sequential_rung();
rung first_add_rung();

}  // namespace onefold::ladder
