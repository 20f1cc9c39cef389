// SPDX-License-Identifier: Apache-2.0
#include "ladder/published/reduce.hpp"
#include "ladder/rung/claims.hpp"

namespace onefold::ladder {
namespace {

bool when_the_second_block_is_full(const evidence& e) {
  const auto& options = e.current.options;
  return options.op == operation::sum && options.block > 1 &&
         options.n >= 4 * std::size_t{options.block};
}

}  // namespace

rung published_unrolled_global_index_rung() {
  rung r;
  r.name = "published/unrolled-global-index";
  r.title = "unrolled with a printed defect: the guards test the global index";
  r.idea = "only in the first block is it the number of the lane";
  r.previous = "reduce/unrolled";
  r.changes = {{"if (tid < S)", "if (at < s)"}};
  r.items_per_lane = 2;
  r.distance = shrinking_distance;
  r.verdict = "wrong value";
  r.claims = {
      {.says = "every block reduces its elements",
       .true_here = false,
       .applies = when_the_second_block_is_full,
       .test = answer_is_right,
       .counted = answers},
  };
  return r;
}

}  // namespace onefold::ladder
