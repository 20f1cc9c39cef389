// SPDX-License-Identifier: Apache-2.0
#include "ladder/published/reduce.hpp"

namespace onefold::ladder {

std::vector<rung> published_reduce_rungs() {
  return {
      published_unguarded_rung(),           published_first_add_rung(),
      published_last_warp_volatile_rung(),  published_last_warp_plain_rung(),
      published_last_warp_unbraced_rung(),  published_unrolled_global_index_rung(),
      published_unrolled_limits_rung(),     published_cascading_step_rung(),
      published_cascading_variable_rung(),  published_cascading_undeclared_rung(),
      published_cascading_unguarded_rung(), published_block_96_rung(),
      published_two_stage_swapped_rung(),   published_two_stage_threads_rung(),
      published_two_stage_extern_rung(),    published_two_stage_template_rung(),
      published_identity_zero_rung(),
  };
}

}  // namespace onefold::ladder
