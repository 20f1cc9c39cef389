// SPDX-License-Identifier: Apache-2.0
#include "ladder/reduce/float_claims.hpp"

#include "ladder/reduce/exact_shape.hpp"

#include <fmt/format.h>

namespace onefold::ladder {

std::string refuse_for_exact(const trial_options& options) {
  if (options.warp != 32) {
    return fmt::format("--warp {}: a warp's long integer lies in 32 lanes; use --warp 32",
                       options.warp);
  }
  if (options.block < 32) {
    return fmt::format("--block {}: a warp's long integer lies in 32 lanes; use 32 or more",
                       options.block);
  }
  if (options.block > exact_block) {
    return fmt::format("--block {}: a lane has more registers than a block of {} can give it; use "
                       "{} or less",
                       options.block, options.block, exact_block);
  }
  if (options.max_grid > most_exact_blocks) {
    return fmt::format("--max-grid {}: blocks are counted in 12 bits; use {} or less",
                       options.max_grid, most_exact_blocks);
  }
  return "";
}

std::string refuse_many_pairs(const trial_options& options) {
  if (options.max_grid <= most_pairs) return "";
  return fmt::format("--max-grid {}: there is room for two partials of {} blocks; use {} or less",
                     options.max_grid, most_pairs, most_pairs);
}

std::string refuse_for_fallback(const trial_options& options) {
  const std::string why = refuse_for_exact(options);
  return why.empty() ? refuse_many_pairs(options) : why;
}

std::string repeated_reads(const evidence& e) {
  return fmt::format("{} elements read twice", e.current.reads.repeatedly);
}

rung float_sum(std::string_view name, std::string_view title, std::string_view idea,
               std::string_view previous) {
  rung r;
  r.name = name;
  r.title = title;
  r.idea = idea;
  r.previous = previous;
  r.items_per_lane = 16;
  r.grid_stride = true;
  r.one_value = true;
  r.floats_only = true;
  return r;
}

}  // namespace onefold::ladder
