// SPDX-License-Identifier: Apache-2.0
#include "ladder/published/reduce.hpp"

#include <fmt/format.h>

namespace onefold::ladder {
namespace {

// Block b reads elements b * block up to (b + 2) * block.
std::size_t end_of_reads(const evidence& e) {
  return (std::size_t{e.current.grid} + 1) * e.current.options.block;
}

bool blocks_overlap(const evidence& e) {
  return e.current.grid > 1;
}

}  // namespace

rung published_first_add_rung() {
  rung r;
  r.name = "published/first-add";
  r.title = "first-add with a printed defect: blocks start blockDim.x apart";
  r.idea = "the loads were doubled, the distance between blocks was not";
  r.previous = "reduce/first-add";
  r.changes = {{"std::size_t{blockIdx.x} * (2 * blockDim.x) + tid",
                "std::size_t{blockIdx.x} * blockDim.x + tid"}};
  r.items_per_lane = 2;
  r.verdict = "wrong value";
  r.claims = {
      {.says = "it sums the array",
       .true_here = false,
       .applies = blocks_overlap,
       .test = [](const evidence& e) { return e.current.right; },
       .counted =
           [](const evidence& e) {
             return fmt::format("{}, not {}", e.current.answer, e.current.expected);
           }},
      {.says = "it reads every element once",
       .true_here = false,
       .applies = blocks_overlap,
       .test = [](const evidence& e) { return e.current.reads.once == e.current.options.n; },
       .counted =
           [](const evidence& e) {
             return fmt::format("{} twice, {} never", e.current.reads.repeatedly,
                                e.current.reads.never);
           }},
      {.says = "any n will do",
       .true_here = false,
       .applies = [](const evidence& e) { return end_of_reads(e) > e.current.options.n; },
       .test = [](const evidence& e) { return e.current.places(simt::defect::bounds) == 0; },
       .counted =
           [](const evidence& e) {
             return fmt::format("reads up to element {} of {}", end_of_reads(e),
                                e.current.options.n);
           }},
  };
  return r;
}

}  // namespace onefold::ladder
