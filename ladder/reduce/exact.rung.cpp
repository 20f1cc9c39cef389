// SPDX-License-Identifier: Apache-2.0
#include "ladder/reduce/errors.hpp"
#include "ladder/reduce/exact_shape.hpp"
#include "ladder/reduce/exact_steps.hpp"
#include "ladder/reduce/float_claims.hpp"
#include "ladder/reduce/rungs.hpp"
#include "ladder/rung/claims.hpp"

#include <fmt/format.h>

namespace onefold::ladder {
namespace {

/// Of float, of a lane; of double half as many.
constexpr std::uint64_t items_of_a_tile = 16;

std::uint64_t atomics(const evidence& e) {
  return e.counts().global_atomic.requests + e.counts().shared_atomics;
}

}  // namespace

rung exact_rung() {
  rung r = float_sum("reduce/exact", "the sum, rounded once",
                     "an addition hands on what it rounds off, and integers add up in any order",
                     "reduce/integers");
  r.changes = {{"const lane_integer lane = fold_share_onto<integer_sum>(lane_integer{0, largest}, "
                "in, n);",
                "cuda::exact_whole<accumulator::total, T, cuda::second::none, cuda::all_checks, "
                "cuda::unwatched>;"}};
  r.workspace_bytes = exact_workspace_bytes;
  r.refuses = refuse_for_exact;
  r.appendix = [] {
    return to_text(exact_example_of(usual_exact_elements())) + "\n" + to_text(usual_sum_errors());
  };
  r.claims = {
      {.says = "a warp that loads one tile ahead loads its last one again",
       .true_here = true,
       .applies = [](const evidence& e) { return e.current.options.n >= 4096; },
       .test =
           [](const evidence& e) {
             const std::uint64_t lanes = std::uint64_t{e.current.grid} * e.current.options.block;
             return e.current.reads.repeatedly != 0 &&
                    e.current.reads.repeatedly <= lanes * items_of_a_tile;
           },
       .counted = repeated_reads},
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
