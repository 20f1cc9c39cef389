// SPDX-License-Identifier: Apache-2.0
#include "ladder/image/claims.hpp"
#include "ladder/image/rungs.hpp"

#include <fmt/format.h>

namespace onefold::ladder {

rung rows_atomic_rung() {
  rung r;
  r.name = "image/rows-atomic";
  r.title = "sums of rows, 128 pixels a lane, gathered by atomic additions";
  r.idea = "rows are cut into chunks for more lanes; the output is cleared first";
  r.previous = "image/columns";
  r.changes = {{"sums[x] = sum;", "atomicAdd(&sums[y], sum);"}};
  r.kind = work::row_sums;
  r.tile = block_of_chunks;
  r.onto_identity = true;
  r.any_block = true;
  r.refuses = refuse_for_rows;
  r.claims = {
      {.says = "the lanes of a warp load one run of pixels",
       .true_here = false,
       .applies = for_whole_sectors,
       .test = loads_one_sector,
       .counted = load_sectors_a_request},
      {.says = "loads are not coalesced at all: every lane needs a sector of its own",
       .true_here = true,
       .applies = for_whole_sectors,
       .test =
           [](const evidence& e) {
             const auto& load = e.counts().global_load;
             return load.sectors == simt::max_warp_lanes * load.requests;
           },
       .counted = load_sectors_a_request},
      {.says = "atomic additions of floats make the sums inexact",
       .true_here = false,
       .applies = at_any_size,
       .test = [](const evidence& e) { return !e.current.right; },
       .counted =
           [](const evidence&) {
             return fmt::format("bytes: exact up to {} a row", longest_exact_pixel_sum);
           }},
  };
  return r;
}

}  // namespace onefold::ladder
