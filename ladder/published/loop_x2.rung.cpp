// SPDX-License-Identifier: Apache-2.0
#include "ladder/loop/rungs.hpp"
#include "ladder/published/loop.hpp"
#include "ladder/rung/claims.hpp"

#include <fmt/format.h>

namespace onefold::ladder {
namespace {

bool for_odd_n(const evidence& e) {
  return e.current.options.n % 2 != 0;
}

bool for_even_n(const evidence& e) {
  return !for_odd_n(e);
}

/// A warp has at least one request whose lanes all work.
bool for_full_warps(const evidence& e) {
  return for_whole_warps(e) && e.current.options.n >= 2 * e.current.options.warp;
}

std::string verdict(const evidence& e) {
  return fmt::format("{}; {}", e.current.verdict(), e.current.answer);
}

}  // namespace

rung published_loop_x2_rung() {
  rung r;
  r.name = "published/loop-x2";
  r.title = "unrolled by two with a printed defect: only the first of two neighbours is tested";
  r.idea = "the printed n is 1000; an odd one runs past the end of all three arrays";
  r.previous = "loop/x2";
  r.changes = {{"for (; at + lanes < n; at += 2 * lanes) {",
                "for (std::size_t at = 2 * lane; at < n; at += 2 * lanes) {"},
               {"sums[at + lanes] = second;", "sums[at + 1] = a[at + 1] + b[at + 1];"}};
  r.kind = work::vector_add;
  r.items_per_lane = 2;
  r.grid_stride = true;
  r.any_block = true;
  r.verdict = "bounds";
  r.shown_at = {.n = 1001, .type = element::float32};
  r.claims = {
      {.says = "any n will do",
       .true_here = false,
       .applies = for_odd_n,
       .test = [](const evidence& e) { return e.current.places(simt::defect::bounds) == 0; },
       .counted = verdict},
      {.says = "a right answer shows that nothing is wrong",
       .true_here = false,
       .applies = for_odd_n,
       .test = [](const evidence& e) { return !e.current.right || e.current.clean(); },
       .counted = verdict},
      {.says = "an even n will do",
       .true_here = true,
       .applies = for_even_n,
       .test = [](const evidence& e) { return e.current.clean(); },
       .counted = verdict},
      {.says = "two neighbours a lane are loads side by side",
       .true_here = false,
       .applies = for_full_warps,
       .test = loads_ideal_sectors,
       .counted = sectors_a_request,
       .measured = sectors_measured},
  };
  return r;
}

}  // namespace onefold::ladder
