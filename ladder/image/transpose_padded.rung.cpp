// SPDX-License-Identifier: Apache-2.0
#include "ladder/image/claims.hpp"
#include "ladder/image/rungs.hpp"

#include <fmt/format.h>

namespace onefold::ladder {
namespace {

/// The launch of a claim about so many bytes.
template <unsigned Bytes, unsigned Block = 256>
void pad(trial_options& options) {
  options.padding = Bytes;
  options.block = Block;
}

std::string ways_when_padded(const evidence& e) {
  return fmt::format("--block {} --padding {}: {}", e.current.options.block,
                     e.current.options.padding, ways_of_conflict(e));
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
  r.changes = {
      {"__shared__ Pixel tile[Side][Side];", "__shared__ Pixel tile[Side][Side + Padding];"}};
  r.kind = work::transpose;
  r.tile = square_tile;
  r.any_block = true;
  r.refuses = refuse_padding;
  r.claims = {
      {.says = "four bytes free the tile of bank conflicts",
       .true_here = true,
       .applies = for_whole_sectors,
       .test = no_conflict,
       .counted = ways_when_padded,
       .at = pad<4>},
      {.says = "one byte is enough, as one word is for words",
       .true_here = false,
       .applies = for_whole_sectors,
       .test = no_conflict,
       .counted = ways_when_padded,
       .at = pad<1>},
      {.says = "two bytes are enough",
       .true_here = false,
       .applies = for_whole_sectors,
       .test = no_conflict,
       .counted = ways_when_padded,
       .at = pad<2>},
      {.says = "eight bytes are as good as four",
       .true_here = false,
       .applies = for_whole_sectors,
       .test = no_conflict,
       .counted = ways_when_padded,
       .at = pad<8, 1024>},
      {.says = "less is moved to and from global memory",
       .true_here = false,
       .applies = at_any_size,
       .test = global_traffic_falls,
       .counted = store_sectors_a_request},
  };
  return r;
}

}  // namespace onefold::ladder
