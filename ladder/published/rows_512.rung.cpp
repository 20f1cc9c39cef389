// SPDX-License-Identifier: Apache-2.0
#include "ladder/image/claims.hpp"
#include "ladder/published/image.hpp"

#include <fmt/format.h>

namespace onefold::ladder {
namespace {

std::string refuse_tall_images(const trial_options& options) {
  const unsigned height = shape_of(options).height;
  if (height > max_grid_y) {
    return fmt::format("--height {}: a row is blockIdx.y, of which a grid has {}; image/rows-block "
                       "takes any height",
                       height, max_grid_y);
  }
  return refuse_for_rows(options);
}

bool smaller_than_the_text(const evidence& e) {
  return e.current.options.block < 512 && shape_of(e).height != 0;
}

}  // namespace

rung published_rows_512_rung() {
  rung r;
  r.name = "published/rows-512";
  r.title = "rows-block with a printed defect: 512 lanes and a tree over 512 floats";
  r.idea = "the block is a constant of the text, and a row is blockIdx.y";
  r.previous = "image/rows-block";
  r.kind = work::row_sums;
  r.tile = one_row;
  r.refuses = refuse_tall_images;
  r.verdict = "uninitialised, wrong value";
  r.shown_at.type = element::uint8;
  r.claims = {
      {.says = "any block sums the rows",
       .true_here = false,
       .applies = smaller_than_the_text,
       .test = [](const evidence& e) { return e.current.right; },
       .counted = [](const evidence& e) { return e.current.answer; }},
  };
  return r;
}

}  // namespace onefold::ladder
