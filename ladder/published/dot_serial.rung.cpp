// SPDX-License-Identifier: Apache-2.0
#include "ladder/published/dot.hpp"
#include "ladder/published/dot_block.cuh"
#include "ladder/rung/claims.hpp"

#include <fmt/format.h>

namespace onefold::ladder {

rung published_dot_serial_rung() {
  rung r;
  r.name = "published/dot-serial";
  r.title = "dot/serial with a printed defect: added onto memory that nothing clears";
  r.idea = "the partial is its own accumulator; every launch adds to what is there";
  r.previous = "dot/serial";
  r.changes = {{"total += items[i];", "partials[blockIdx.x] += items[i];"}};
  r.published_us = 1699738.016;
  r.kind = work::dot;
  r.any_block = true;
  r.verdict = "uninitialised, wrong value";
  r.shown_at = {.n = 4096, .block = published::dot_block, .type = element::float32};
  r.claims = {
      {.says = "the partials start from zero",
       .true_here = false,
       .applies = launched_as_printed,
       .test = [](const evidence& e) { return e.current.places(simt::defect::uninitialised) == 0; },
       .counted =
           [](const evidence& e) {
             return fmt::format("{} places read what nothing has written",
                                e.current.places(simt::defect::uninitialised));
           }},
      {.says = "it gives the dot product",
       .true_here = false,
       .applies = launched_as_printed,
       .test = answer_is_right,
       .counted = answers},
  };
  return r;
}

}  // namespace onefold::ladder
