// SPDX-License-Identifier: Apache-2.0
#include "ladder/published/reduce.hpp"

#include "ladder/rung/machine_code.hpp"

#include <fmt/format.h>

namespace onefold::ladder {

bool when_lanes_meet(const evidence& e) {
  return e.current.options.block >= 4;
}

bool when_nvcc_is_recorded(const evidence& e) {
  return e.current.options.block == 256;
}

bool no_race(const evidence& e) {
  return e.current.places(simt::defect::race) == 0;
}

std::string racing_lines(const evidence& e) {
  return fmt::format("{} pairs of lines race", e.current.places(simt::defect::race));
}

std::string lines_outside(const evidence& e) {
  return fmt::format("reads outside memory at {} lines", e.current.places(simt::defect::bounds));
}

std::string memory_instructions::text() const {
  return fmt::format("{} loads, {} stores in six steps: {}", loads, stores, machine_code_source());
}

memory_instructions last_steps(std::string_view twin) {
  memory_instructions found{};
  for (const machine_excerpt& excerpt : machine_code_of(twin, element::int32)->excerpts) {
    for (const std::string& instruction : excerpt.instructions) {
      found.loads += instruction.find("LDS") != std::string::npos;
      found.stores += instruction.find("STS") != std::string::npos;
    }
  }
  return found;
}

std::vector<rung> published_reduce_rungs() {
  return {
      published_unguarded_rung(),
      published_first_add_rung(),
      published_first_add_shared_rung(),
      published_last_warp_volatile_rung(),
      published_last_warp_plain_rung(),
      published_last_warp_unbraced_rung(),
      published_unrolled_global_index_rung(),
      published_unrolled_limits_rung(),
      published_cascading_step_rung(),
      published_cascading_variable_rung(),
      published_cascading_undeclared_rung(),
      published_cascading_unguarded_rung(),
      published_block_96_rung(),
      published_two_stage_swapped_rung(),
      published_two_stage_threads_rung(),
      published_two_stage_extern_rung(),
      published_two_stage_template_rung(),
      published_identity_zero_rung(),
  };
}

}  // namespace onefold::ladder
