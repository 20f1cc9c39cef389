// SPDX-License-Identifier: Apache-2.0
#include "ladder/reduce/rungs.hpp"
#include "ladder/rung/claims.hpp"

namespace onefold::ladder {
namespace {

std::size_t items_of_a_vector(const evidence& e) {
  return 16 / size_bytes(e.current.options.type);
}

bool when_vectors_fill_warps(const evidence& e) {
  return for_whole_warps(e) &&
         e.current.options.n % (items_of_a_vector(e) * e.current.options.warp) == 0;
}

}  // namespace

rung vector_rung() {
  rung r;
  r.name = "reduce/vector";
  r.title = "sixteen bytes a load, four loads in flight";
  r.idea = "more bytes on their way for each instruction and for each wait";
  r.previous = "reduce/shuffle";
  r.changes = {
      {"value = Operator::fold(value, in[at]);",
       "for (unsigned i = 0; i < loads_in_flight; ++i) loaded[i] = body[at + i * lanes];"}};
  r.items_per_lane = 16;
  r.grid_stride = true;
  r.claims = {
      {.says = "a load fetches sixteen bytes a lane",
       .true_here = true,
       .applies = when_vectors_fill_warps,
       .test =
           [](const evidence& e) {
             return e.counts().global_load.requests * items_of_a_vector(e) ==
                    e.before().global_load.requests;
           },
       .counted = requests_and_before},
      {.says = "more sectors a request is worse coalescing",
       .true_here = false,
       .applies = when_vectors_fill_warps,
       .test = sectors_rise,
       .counted = sectors_a_request},
      {.says = "less is read from global memory",
       .true_here = false,
       .applies = for_whole_warps,
       .test = sectors_fall,
       .counted = sectors_loaded},
      by_gpu("wide loads spare instructions", true, instructions_fall),
  };
  return r;
}

}  // namespace onefold::ladder
