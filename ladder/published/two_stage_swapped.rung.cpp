// SPDX-License-Identifier: Apache-2.0
#include "ladder/published/reduce.hpp"
#include "ladder/rung/claims.hpp"

#include <fmt/format.h>

namespace onefold::ladder {

rung published_two_stage_swapped_rung() {
  rung r;
  r.name = "published/two-stage-swapped";
  r.title = "two-stage with a printed defect of its caller: in and out swapped";
  r.idea = "the first launch reads what nobody wrote and overwrites the input";
  r.previous = "reduce/two-stage";
  r.changes = {{"const T* in, std::size_t n, T* partials", "const T* in, T* out, std::size_t n"}};
  r.items_per_lane = 16;
  r.grid_stride = true;
  r.distance = shrinking_distance;
  r.one_value = true;
  r.needs_scratch = true;
  r.verdict = "uninitialised, wrong value";
  r.claims = {
      {.says = "the kernel reads the input",
       .true_here = false,
       .applies = [](const evidence& e) { return e.current.options.n > 0; },
       .test = [](const evidence& e) { return e.current.reads.never == 0; },
       .counted =
           [](const evidence& e) {
             return fmt::format("{} of {} elements never", e.current.reads.never,
                                e.current.options.n);
           }},
      {.says = "partials are written before they are read",
       .true_here = false,
       .applies = [](const evidence& e) { return e.current.options.n > 0; },
       .test = [](const evidence& e) { return e.current.places(simt::defect::uninitialised) == 0; },
       .counted =
           [](const evidence& e) {
             return fmt::format("{} lines read what nobody wrote",
                                e.current.places(simt::defect::uninitialised));
           }},
  };
  return r;
}

}  // namespace onefold::ladder
