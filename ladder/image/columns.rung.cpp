// SPDX-License-Identifier: Apache-2.0
#include "ladder/image/claims.hpp"
#include "ladder/image/rungs.hpp"
#include "ladder/rung/hardware.hpp"

#include <fmt/format.h>

namespace onefold::ladder {
namespace {

unsigned lanes_of_a_gpu() {
  return recorded().lanes;
}

}  // namespace

rung columns_rung() {
  rung r;
  r.name = "image/columns";
  r.title = "sums of columns, a lane a column";
  r.idea = "lanes side by side walk down together";
  r.kind = work::column_sums;
  r.tile = block_of_columns;
  r.any_block = true;
  r.refuses = refuse_for_columns;
  r.claims = {
      {.says = "the lanes of a warp load one run of pixels",
       .true_here = true,
       .applies = for_whole_sectors,
       .test = loads_one_sector,
       .counted = load_sectors_a_request},
      {.says = "it has work for all lanes of a GPU",
       .true_here = false,
       .applies = [](const evidence& e) { return shape_of(e).width < lanes_of_a_gpu(); },
       .test = [](const evidence& e) { return shape_of(e).width >= lanes_of_a_gpu(); },
       .counted =
           [](const evidence& e) {
             return fmt::format("{} lanes, the {} runs {}", shape_of(e).width, recorded().machine,
                                lanes_of_a_gpu());
           }},
  };
  return r;
}

}  // namespace onefold::ladder
