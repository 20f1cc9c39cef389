// SPDX-License-Identifier: Apache-2.0
#pragma once
// One function per data file of this room.

#include "ladder/rung/rungs.hpp"

namespace onefold::ladder {

rung atomic_rung();
rung global_rung();
rung modulo_rung();
rung mask_rung();
rung strided_rung();
rung sequential_rung();
rung first_add_rung();
rung last_warp_rung();
rung unrolled_rung();
rung cascading_rung();
rung two_stage_rung();
rung shuffle_rung();
rung redux_rung();
rung vector_rung();
rung async_copy_rung();
rung bulk_copy_rung();
rung dependent_launch_rung();
rung one_launch_rung();
rung cluster_rung();
rung pairwise_rung();
rung kahan_rung();
rung interval_rung();
rung integers_rung();
rung exact_rung();
rung vendor_rung();

}  // namespace onefold::ladder
