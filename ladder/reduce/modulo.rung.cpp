// SPDX-License-Identifier: Apache-2.0
#include "ladder/reduce/rungs.hpp"
#include "ladder/rung/claims.hpp"

#include "simt/banks.hpp"

#include <fmt/format.h>

namespace onefold::ladder {

rung modulo_rung() {
  rung r;
  r.name = "reduce/modulo";
  r.title = "a tree in shared memory, interleaved";
  r.idea = "lanes whose number is a multiple of 2s fold the element s further on";
  r.previous = "reduce/global";
  r.changes = {{"items[at] = in[at];", "items[tid] = value;"},
               {"items[at] = Operator::fold(items[at], items[at + s]);",
                "items[tid] = Operator::fold(items[tid], items[tid + s]);"}};
  r.distance = growing_distance;
  r.claims = {
      {.says = "the store of a block's result is coalesced",
       .true_here = false,
       .applies = at_any_size,
       .test =
           [](const evidence& e) {
             return std::uint64_t{e.current.grid} * size_bytes(e.current.options.type) ==
                    e.counts().global_store.sectors * simt::sector_bytes;
           },
       .counted =
           [](const evidence& e) {
             return fmt::format("{} sectors of {} bytes for {} values of {}",
                                e.counts().global_store.sectors, simt::sector_bytes, e.current.grid,
                                size_bytes(e.current.options.type));
           }},
      {.says = "global memory is read once",
       .true_here = true,
       .applies = when_blocks_fill_sectors,
       .test = loads_each_sector_once,
       .counted = sectors_loaded},
      {.says = "a tree in shared memory spares global memory",
       .true_here = true,
       .applies =
           [](const evidence& e) { return e.current.options.n > 1 && e.current.options.block > 1; },
       .test = global_traffic_falls,
       .counted = sectors_moved},
      {.says = "the branch diverges inside warps",
       .true_here = true,
       .applies = [](const evidence& e) { return e.current.options.block > 1; },
       .test = [](const evidence& e) { return e.counts().divergent_branches > 0; },
       .counted = divergent_a_block,
       .measured = divergent_measured},
      {.says = "in iteration k the lanes 2k apart work",
       .true_here = false,
       .applies = [](const evidence& e) { return e.current.options.block >= 8; },
       .test =
           [](const evidence& e) {
             return lanes_working(e, 3) == (e.current.options.block + 5) / 6;
           },
       .counted = [](const evidence& e) { return lanes_by_step(e) + ": 2^k apart"; }},
      {.says = "its shared memory accesses conflict",
       .true_here = false,
       .applies = at_any_size,
       .test = conflicts,
       .counted = conflicts_a_block,
       .measured = conflicts_measured},
      loads_are_coalesced(),
  };
  return r;
}

}  // namespace onefold::ladder
