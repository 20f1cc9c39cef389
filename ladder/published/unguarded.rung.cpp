// SPDX-License-Identifier: Apache-2.0
#include "ladder/published/reduce.hpp"
#include "ladder/rung/claims.hpp"

#include <fmt/format.h>

namespace onefold::ladder {
namespace {

/// Where the last block's loads end.
std::size_t end_of_reads(const evidence& e) {
  return std::size_t{e.current.grid} * e.current.options.block;
}

}  // namespace

rung published_unguarded_rung() {
  rung r;
  r.name = "published/unguarded";
  r.title = "modulo with a printed defect: every lane loads an element";
  r.idea = "whether there is one for it or not";
  r.previous = "reduce/modulo";
  r.changes = {{"if (at < n) value = in[at];",
                "items[tid] = in[std::size_t{blockIdx.x} * blockDim.x + tid];"}};
  r.distance = growing_distance;
  r.verdict = "bounds, wrong value";
  r.shown_at.n = 1000;
  r.claims = {
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
