// SPDX-License-Identifier: Apache-2.0
#include "ladder/dot/rungs.hpp"
#include "ladder/rung/claims.hpp"

#include <fmt/format.h>

namespace onefold::ladder {
namespace {

std::uint64_t lanes(const evidence& e) {
  return std::uint64_t{e.current.grid} * e.current.options.block;
}

}  // namespace

rung dot_serial_rung() {
  rung r;
  r.name = "dot/serial";
  r.title = "the lanes multiply, one lane adds";
  r.idea = "products in parallel, into shared memory; lane 0 adds those of its block";
  r.published_us = 1699738.016;
  r.kind = work::dot;
  r.any_block = true;
  r.claims = {
      loads_are_coalesced(),
      {.says = "every product is a request of its own to shared memory",
       .true_here = true,
       .applies = at_any_size,
       .test = [](const evidence& e) { return e.counts().shared_load.requests == lanes(e); },
       .counted =
           [](const evidence& e) {
             return fmt::format("{} load requests for {} products", e.counts().shared_load.requests,
                                lanes(e));
           }},
  };
  return r;
}

}  // namespace onefold::ladder
