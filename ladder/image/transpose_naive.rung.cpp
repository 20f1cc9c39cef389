// SPDX-License-Identifier: Apache-2.0
#include "ladder/image/claims.hpp"
#include "ladder/image/rungs.hpp"

#include "simt/banks.hpp"

namespace onefold::ladder {

rung transpose_naive_rung() {
  rung r;
  r.name = "image/transpose-naive";
  r.title = "every lane carries one pixel to its mirror place";
  r.idea = "x and y change places in the address that is stored to";
  r.kind = work::transpose;
  r.tile = lane_rectangle;
  r.any_block = true;
  r.refuses = refuse_for_naive;
  r.claims = {
      {.says = "the lanes of a warp load one run of pixels",
       .true_here = false,
       .applies = for_short_rows,
       .test = loads_one_sector,
       .counted = load_sectors_a_request},
      {.says = "stores touch more sectors than loads",
       .true_here = true,
       .applies = for_whole_sectors,
       .test =
           [](const evidence& e) {
             return e.counts().global_store.sectors > e.counts().global_load.sectors;
           },
       .counted = store_sectors_a_request},
      {.says = "stores are not coalesced at all: every lane needs a sector of its own",
       .true_here = false,
       .applies = for_short_rows,
       .test =
           [](const evidence& e) {
             const auto& store = e.counts().global_store;
             return store.sectors == simt::max_warp_lanes * store.requests;
           },
       .counted = store_sectors_a_request},
  };
  return r;
}

}  // namespace onefold::ladder
