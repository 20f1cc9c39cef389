// SPDX-License-Identifier: Apache-2.0
#include "ladder/published/reduce.hpp"
#include "ladder/rung/claims.hpp"

#include <fmt/format.h>

namespace onefold::ladder {
namespace {

/// From four lanes on a lane of the last warp reads what another one writes.
bool when_lanes_meet(const evidence& e) {
  return e.current.options.block >= 4;
}

bool when_warps_meet(const evidence& e) {
  return e.current.options.block > e.current.options.warp;
}

}  // namespace

rung published_last_warp_unbraced_rung() {
  rung r;
  r.name = "published/last-warp-unbraced";
  r.title = "last-warp as printed: an if without braces";
  r.idea = "the guard holds for the first of six steps only";
  r.previous = "reduce/last-warp";
  r.file = "ladder/published/last_warp_unbraced.cuh";
  r.changes = {{"if (tid >= lanes) return;",
                "if (tid < lanes) items[tid] = Operator::fold(items[tid], items[tid + lanes]);"}};
  r.printed = {{"unlp-slides", "Solución 5, slide 20"}};
  r.items_per_lane = 2;
  r.distance = shrinking_distance;
  r.published = true;
  r.verdict = "bounds, race, wrong value";
  r.claims = {
      {.says = "the if guards all six steps",
       .true_here = false,
       .applies = when_lanes_meet,
       .test = [](const evidence& e) { return e.current.places(simt::defect::bounds) == 0; },
       .counted =
           [](const evidence& e) {
             return fmt::format("reads outside memory at {} lines",
                                e.current.places(simt::defect::bounds));
           }},
      {.says = "only the lanes of one warp race",
       .true_here = false,
       .applies = when_warps_meet,
       .test = [](const evidence& e) { return e.current.places(simt::defect::race) == 0; },
       .counted =
           [](const evidence& e) {
             return fmt::format("{} pairs of lines race", e.current.places(simt::defect::race));
           }},
  };
  return r;
}

}  // namespace onefold::ladder
