// SPDX-License-Identifier: Apache-2.0
#include "ladder/image/claims.hpp"
#include "ladder/image/rungs.hpp"

#include "simt/banks.hpp"

namespace onefold::ladder {
namespace {

// Eight rows of eight bytes are half a row of the banks.
bool when_columns_share_banks(const evidence& e) {
  return for_whole_sectors(e) && tile_side(e.current.options.block) > 8;
}

}  // namespace

rung transpose_tile_rung() {
  rung r;
  r.name = "image/transpose-tile";
  r.title = "the square is turned in shared memory";
  r.idea = "lanes that are neighbours in x are neighbours in memory for loads and for stores";
  r.previous = "image/transpose-naive";
  r.changes = {{"out[std::size_t{x} * height + y] = in[std::size_t{y} * width + x];",
                "out[std::size_t{column + ty} * height + row + tx] = tile[tx][ty];"}};
  r.kind = work::transpose;
  r.tile = square_tile;
  r.any_block = true;
  r.refuses = refuse_for_tiles;
  r.claims = {
      {.says = "stores are as coalesced as loads",
       .true_here = true,
       .applies = for_whole_sectors,
       .test =
           [](const evidence& e) {
             return e.counts().global_store.sectors == e.counts().global_load.sectors;
           },
       .counted = store_sectors_a_request},
      {.says = "every sector stored to is filled",
       .true_here = false,
       .applies = for_short_rows,
       .test =
           [](const evidence& e) {
             return e.counts().global_store.sectors * simt::sector_bytes == shape_of(e).pixels();
           },
       .counted = stored_bytes_of_a_sector},
      {.says = "a store fills a line of 128 bytes, as that of a copy can",
       .true_here = false,
       .applies = for_whole_sectors,
       .test =
           [](const evidence& e) {
             return e.counts().global_store.requests * simt::line_bytes == shape_of(e).pixels();
           },
       .counted = stored_bytes_a_request},
      {.says = "columns of the tile are read without bank conflicts",
       .true_here = false,
       .applies = when_columns_share_banks,
       .test = no_conflict,
       .counted = ways_of_conflict},
  };
  return r;
}

}  // namespace onefold::ladder
