// SPDX-License-Identifier: Apache-2.0
#include "ladder/image/claims.hpp"
#include "ladder/image/rungs.hpp"
#include "ladder/rung/claims.hpp"

#include "simt/banks.hpp"

#include <fmt/format.h>

namespace onefold::ladder {
namespace {

bool for_whole_lines(const evidence& e) {
  const image_shape shape = shape_of(e);
  return shape.pixels() != 0 && shape.width % packed_side == 0 && shape.height % packed_side == 0;
}

bool for_ragged_rows(const evidence& e) {
  const image_shape shape = shape_of(e);
  return shape.width % 4 != 0 && shape.width >= packed_side && shape.height >= packed_side;
}

bool one_line_a_request(const simt::global_counts& c) {
  return c.lines == c.requests && c.sectors * simt::sector_bytes == c.requests * simt::line_bytes;
}

std::uint64_t requests(const simt::counts& c) {
  return c.global_load.requests + c.global_store.requests;
}

}  // namespace

rung transpose_packed_rung() {
  rung r;
  r.name = "image/transpose-packed";
  r.title = "four pixels a lane, turned in registers";
  r.idea = "words, not bytes, move through memory; byte permutations turn squares of 4 x 4";
  r.previous = "image/transpose-padded";
  r.changes = {{"__shared__ Pixel tile[Side][Side + Padding];",
                "__shared__ unsigned tile[packed_side][squares + 1];"}};
  r.kind = work::transpose;
  r.tile = packed_tile;
  r.any_block = true;
  r.refuses = refuse_for_tiles;
  r.claims = {
      {.says = "every load and every store is one full line",
       .true_here = true,
       .applies = for_whole_lines,
       .test =
           [](const evidence& e) {
             return one_line_a_request(e.counts().global_load) &&
                    one_line_a_request(e.counts().global_store);
           },
       .counted = stored_bytes_a_request},
      {.says = "a quarter of the requests do",
       .true_here = true,
       .applies = for_whole_lines,
       .test = [](const evidence& e) { return 4 * requests(e.counts()) == requests(e.before()); },
       .counted =
           [](const evidence& e) {
             return fmt::format("{} requests, was {}", requests(e.counts()), requests(e.before()));
           }},
      {.says = "words are exchanged without bank conflicts",
       .true_here = true,
       .applies = at_any_size,
       .test = no_conflict,
       .counted = ways_of_conflict},
      {.says = "rows of any width are loaded as fast",
       .true_here = false,
       .applies = for_ragged_rows,
       .test =
           [](const evidence& e) {
             return e.counts().global_load.requests * simt::line_bytes < 2 * shape_of(e).pixels();
           },
       .counted = load_sectors_a_request},
      by_gpu("words spare instructions, though bytes have to be turned", true, instructions_halve),
  };
  return r;
}

}  // namespace onefold::ladder
