// SPDX-License-Identifier: Apache-2.0
#pragma once
// One function per data file; a new rung adds a line here, in registry.cpp and in kernels.cpp.

#include "ladder/rung.hpp"

namespace onefold::ladder {

rung modulo_rung();
rung strided_rung();
rung sequential_rung();
rung first_add_rung();

rung published_first_add_rung();

}  // namespace onefold::ladder
