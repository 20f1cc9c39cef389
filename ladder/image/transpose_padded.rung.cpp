// SPDX-License-Identifier: Apache-2.0
#include "ladder/image/claims.hpp"
#include "ladder/image/rungs.hpp"

#include <fmt/format.h>

namespace onefold::ladder {
namespace {

bool padded_by(const evidence& e, unsigned bytes) {
  return for_whole_sectors(e) && e.current.options.padding == bytes;
}

unsigned side(const evidence& e) {
  return tile_side(e.current.options.block);
}

std::string refuse_padding(const trial_options& options) {
  switch (options.padding) {
  case 0:
  case 1:
  case 2:
  case 4:
  case 8:
    return refuse_for_tiles(options);
  default:
    return fmt::format("--padding {}: use 0, 1, 2, 4 or 8 bytes", options.padding);
  }
}

}  // namespace

rung transpose_padded_rung() {
  rung r;
  r.name = "image/transpose-padded";
  r.title = "a tile whose rows are four bytes longer";
  r.idea = "an odd number of banks from row to row spreads a column over all of them";
  r.previous = "image/transpose-tile";
  r.file = "ladder/image/transpose_padded.cuh";
  r.changes = {
      {"__shared__ Pixel tile[Side][Side];", "__shared__ Pixel tile[Side][Side + Padding];"}};
  r.printed = {{"image-slides", "slide 38"}};
  r.kind = work::transpose;
  r.tile = square_tile;
  r.any_block = true;
  r.refuses = refuse_padding;
  r.claims = {
      {.says = "four bytes free the tile of bank conflicts",
       .true_here = true,
       .applies = [](const evidence& e) { return padded_by(e, 4); },
       .test = no_conflict,
       .counted = ways_of_conflict},
      {.says = "one byte is enough, as one word is for words",
       .true_here = false,
       .applies = [](const evidence& e) { return padded_by(e, 1) && side(e) > 8; },
       .test = no_conflict,
       .counted = ways_of_conflict},
      {.says = "two bytes are enough",
       .true_here = false,
       .applies = [](const evidence& e) { return padded_by(e, 2) && side(e) > 8; },
       .test = no_conflict,
       .counted = ways_of_conflict},
      {.says = "eight bytes are as good as four",
       .true_here = false,
       .applies = [](const evidence& e) { return padded_by(e, 8) && side(e) == 32; },
       .test = no_conflict,
       .counted = ways_of_conflict},
      {.says = "less is moved to and from global memory",
       .true_here = false,
       .applies = at_any_size,
       .test = global_traffic_falls,
       .counted = store_sectors_a_request},
  };
  return r;
}

}  // namespace onefold::ladder
