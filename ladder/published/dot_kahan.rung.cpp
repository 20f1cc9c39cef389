// SPDX-License-Identifier: Apache-2.0
#include "ladder/published/dot.hpp"

#include "ladder/dot/errors.hpp"
#include "ladder/published/dot_block.cuh"
#include "ladder/rung/claims.hpp"

#include <fmt/format.h>

namespace onefold::ladder {

rung published_dot_kahan_rung() {
  rung r;
  r.name = "published/dot-kahan";
  r.title = "Kahan's formula on a sum of one term";
  r.idea = "one product added to zero loses nothing; the tree, which does, stays plain";
  r.previous = "dot/tree";
  r.changes = {
      {"value = a[at] * b[at];", "T loss = add_rounded(T(0), -multiply_rounded(a[at], b[at]));"}};
  // All four begin with the same five lines.
  r.published_us = 120819.072;
  r.kind = work::dot;
  r.distance = growing_distance;
  r.verdict = "right";
  r.appendix = [] { return to_text(usual_dot_errors()); };
  r.shown_at = {.n = 4096, .block = published::dot_block, .type = element::float32};
  // That the bits stay the same where rounding happens too is not for this trial's exact inputs to
  // show: dot/errors.hpp and the tests do.
  r.claims = {
      {.says = "the answer differs from the plain tree's",
       .true_here = false,
       .applies = [](const evidence& e) { return with_whole_blocks(e) && launched_as_printed(e); },
       .test = [](const evidence& e) { return e.current.answer != e.previous->answer; },
       .counted =
           [](const evidence& e) {
             return fmt::format("{}, was {}", e.current.answer, e.previous->answer);
           }},
      {.says = "any n will do",
       .true_here = false,
       .applies = [](const evidence& e) { return !with_whole_blocks(e); },
       .test = [](const evidence& e) { return e.current.places(simt::defect::bounds) == 0; },
       .counted = [](const evidence& e) { return e.current.verdict(); }},
  };
  return r;
}

}  // namespace onefold::ladder
