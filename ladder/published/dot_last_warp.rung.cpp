// SPDX-License-Identifier: Apache-2.0
#include "ladder/published/dot.hpp"
#include "ladder/published/dot_block.cuh"
#include "ladder/rung/claims.hpp"

#include <fmt/format.h>

namespace onefold::ladder {

rung published_dot_last_warp_rung() {
  rung r;
  r.name = "published/dot-last-warp";
  r.title = "the last warp with a printed defect: nothing orders its lanes";
  r.idea = "neither a barrier nor __syncwarp nor volatile between the last six steps";
  r.previous = "dot/last-warp";
  r.changes = {{"if (tid < s) items[tid] += items[tid + s];",
                "items[tid] += items[tid + 32]; items[tid] += items[tid + 16];"},
               {"__syncwarp(first_lanes(lanes));", "items[tid] += items[tid + 1];"}};
  r.published_us = 49489.856;
  r.kind = work::dot;
  r.distance = shrinking_distance;
  r.verdict = "race, wrong value";
  r.shown_at = {.n = 4096, .block = published::dot_block, .type = element::float32};
  r.claims = {
      {.says = "the lanes of a warp need nothing to order them",
       .true_here = false,
       .applies = launched_as_printed,
       .test = [](const evidence& e) { return e.current.places(simt::defect::race) == 0; },
       .counted =
           [](const evidence& e) {
             return fmt::format("{} pairs of lines race", e.current.places(simt::defect::race));
           }},
  };
  return r;
}

}  // namespace onefold::ladder
