// SPDX-License-Identifier: Apache-2.0
#include "ladder/published/dot.hpp"
#include "ladder/published/dot_block.cuh"
#include "ladder/rung/claims.hpp"

#include <fmt/format.h>

namespace onefold::ladder {
namespace {

std::string verdict(const evidence& e) {
  return e.current.verdict();
}

}  // namespace

rung published_dot_unguarded_rung() {
  rung r;
  r.name = "published/dot-unguarded";
  r.title = "dot/tree with a printed defect: no look at n, and a block that the text fixes";
  r.idea = "every lane loads, wherever the array ends; the tree has the constant's size";
  r.previous = "dot/tree";
  r.changes = {{"if (at < n) value = a[at] * b[at];", "items[tid] = a[at] * b[at];"}};
  r.published_us = 114682.144;
  r.kind = work::dot;
  r.distance = growing_distance;
  r.verdict = "bounds, wrong value";
  r.shown_at = {.n = 1000, .block = published::dot_block, .type = element::float32};
  r.claims = {
      {.says = "any n will do",
       .true_here = false,
       .applies = [](const evidence& e) { return !with_whole_blocks(e); },
       .test = [](const evidence& e) { return e.current.places(simt::defect::bounds) == 0; },
       .counted =
           [](const evidence& e) {
             return fmt::format("reads up to element {} of {}",
                                std::size_t{e.current.grid} * e.current.options.block,
                                e.current.options.n);
           }},
      {.says = "any block will do",
       .true_here = false,
       .applies = [](const evidence& e) { return !launched_as_printed(e); },
       .test = [](const evidence& e) { return e.current.clean(); },
       .counted = verdict},
      {.says = "it is right for whole blocks of the constant's size",
       .true_here = true,
       .applies = [](const evidence& e) { return with_whole_blocks(e) && launched_as_printed(e); },
       .test = [](const evidence& e) { return e.current.clean(); },
       .counted = verdict},
  };
  return r;
}

}  // namespace onefold::ladder
