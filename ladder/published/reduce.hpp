// SPDX-License-Identifier: Apache-2.0
#pragma once
// One function per data file of a reduce twin.

#include "ladder/rung/rungs.hpp"

namespace onefold::ladder {

rung published_unguarded_rung();
rung published_first_add_rung();
rung published_last_warp_volatile_rung();
rung published_last_warp_plain_rung();
rung published_last_warp_unbraced_rung();
rung published_unrolled_global_index_rung();
rung published_unrolled_limits_rung();
rung published_cascading_step_rung();
rung published_cascading_variable_rung();
rung published_cascading_undeclared_rung();
rung published_cascading_unguarded_rung();
rung published_block_96_rung();
rung published_two_stage_swapped_rung();
rung published_two_stage_threads_rung();
rung published_two_stage_extern_rung();
rung published_two_stage_template_rung();
rung published_identity_zero_rung();

}  // namespace onefold::ladder
