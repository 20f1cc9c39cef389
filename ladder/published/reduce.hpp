// SPDX-License-Identifier: Apache-2.0
#pragma once
// One function per data file of a reduce twin, and what their claims share.

#include "ladder/rung/rungs.hpp"

namespace onefold::ladder {

// What several of their claims are made of.
bool when_lanes_meet(const evidence& e);        ///< one of the last warp reads what another writes
bool when_nvcc_is_recorded(const evidence& e);  ///< with that block
bool no_race(const evidence& e);
std::string racing_lines(const evidence& e);
std::string lines_outside(const evidence& e);  ///< that read outside memory

/// What nvcc made of the last six steps of a twin (machine_code.json).
struct memory_instructions {
  std::size_t loads, stores;  ///< of shared memory
  std::string text() const;
};
memory_instructions last_steps(std::string_view twin);

rung published_unguarded_rung();
rung published_first_add_rung();
rung published_first_add_shared_rung();
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
