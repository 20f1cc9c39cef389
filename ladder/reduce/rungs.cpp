// SPDX-License-Identifier: Apache-2.0
#include "ladder/reduce/rungs.hpp"

namespace onefold::ladder {

std::vector<rung> reduce_rungs() {
  return {
      atomic_rung(),    global_rung(),           modulo_rung(),
      mask_rung(),      strided_rung(),          sequential_rung(),
      first_add_rung(), last_warp_rung(),        unrolled_rung(),
      cascading_rung(), two_stage_rung(),        shuffle_rung(),
      redux_rung(),     vector_rung(),           async_copy_rung(),
      bulk_copy_rung(), dependent_launch_rung(), one_launch_rung(),
      cluster_rung(),   pairwise_rung(),         kahan_rung(),
      interval_rung(),  integers_rung(),         exact_rung(),
      vendor_rung(),
  };
}

}  // namespace onefold::ladder
