// SPDX-License-Identifier: Apache-2.0
#include "ladder/reduce/errors.hpp"
#include "ladder/reduce/exact_shape.hpp"
#include "ladder/reduce/exact_steps.hpp"
#include "ladder/reduce/rungs.hpp"
#include "ladder/rung/claims.hpp"

#include <fmt/format.h>

namespace onefold::ladder {
namespace {

std::string refuse_blocks(const trial_options& options) {
  if (options.warp != 32) {
    return fmt::format("--warp {}: a warp's long integer lies in 32 lanes; use --warp 32",
                       options.warp);
  }
  if (options.block < 32) {
    return fmt::format("--block {}: a warp's long integer lies in 32 lanes; use 32 or more",
                       options.block);
  }
  if (options.block > exact_block) {
    return fmt::format("--block {}: a lane has more registers than a block of {} can give it; use "
                       "{} or less",
                       options.block, options.block, exact_block);
  }
  return "";
}

std::uint64_t atomics(const evidence& e) {
  return e.counts().global_atomic.requests + e.counts().shared_atomics;
}

}  // namespace

rung exact_rung() {
  rung r;
  r.name = "reduce/exact";
  r.title = "the sum, rounded once";
  r.idea = "an addition hands on what it rounds off, and integers add up in any order";
  r.previous = "reduce/one-launch";
  r.changes = {{"T value = fold_block<Operator>(fold_share<Operator>(in, n), warps);",
                "for (std::int64_t t = at; t < whole.tiles; t += stride) "
                "share.take_tile(whole.first_of(t));"},
               {"if (threadIdx.x == 0) partials[0] = value;",
                "if (threadIdx.x == 0) *out = rounded<T>(totals, n == 0);"}};
  r.items_per_lane = 16;
  r.grid_stride = true;
  r.one_value = true;
  r.floats_only = true;
  r.workspace_bytes = exact_workspace_bytes;
  r.refuses = refuse_blocks;
  r.appendix = [] {
    return to_text(exact_example_of(usual_exact_elements())) + "\n" + to_text(usual_sum_errors());
  };
  r.claims = {
      {.says = "an exact sum has to read its input twice",
       .true_here = false,
       .applies = at_any_size,
       .test = [](const evidence& e) { return e.current.reads.repeatedly != 0; },
       .counted =
           [](const evidence& e) {
             return fmt::format("{} elements read twice", e.current.reads.repeatedly);
           }},
      {.says = "it adds to its long integer for every element",
       .true_here = false,
       .applies = [](const evidence& e) { return e.current.options.n >= 4096; },
       .test = [](const evidence& e) { return atomics(e) >= e.current.options.n; },
       .counted =
           [](const evidence& e) {
             return fmt::format("{} atomic requests for {} elements", atomics(e),
                                e.current.options.n);
           }},
      {.says = "one launch gives the answer, rounded",
       .true_here = true,
       .applies = at_any_size,
       .test = one_launch_answers,
       .counted = launches},
  };
  return r;
}

}  // namespace onefold::ladder
