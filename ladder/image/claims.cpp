// SPDX-License-Identifier: Apache-2.0
#include "ladder/image/claims.hpp"

#include "simt/banks.hpp"

#include <fmt/format.h>

namespace onefold::ladder {
namespace {

double ratio(std::uint64_t a, std::uint64_t b) {
  return b == 0 ? 0 : static_cast<double>(a) / static_cast<double>(b);
}

std::string large(image_shape shape) {
  if (shape.pixels() <= longest_input) return "";
  return fmt::format("{} x {}: an image has at most {} pixels; use a smaller one", shape.width,
                     shape.height, longest_input);
}

/// `rows`: of pixels, in a block.
std::string high(image_shape shape, unsigned rows) {
  if (shape.height <= std::size_t{max_grid_y} * rows) return large(shape);
  return fmt::format("--height {}: a grid is at most {} blocks high, of {} rows here; use fewer "
                     "rows or a larger --block",
                     shape.height, max_grid_y, rows);
}

std::string long_sum(const char* option, unsigned length) {
  if (length <= longest_exact_pixel_sum) return "";
  return fmt::format("{} {}: sums of bytes are checked exactly, which a float allows up to {} of "
                     "them; use fewer",
                     option, length, longest_exact_pixel_sum);
}

}  // namespace

image_shape shape_of(const evidence& e) {
  return shape_of(e.current.options);
}

bool for_whole_sectors(const evidence& e) {
  const image_shape shape = shape_of(e);
  return shape.pixels() != 0 && shape.width % simt::sector_bytes == 0 &&
         shape.height % simt::sector_bytes == 0 &&
         e.current.options.block % e.current.options.warp == 0;
}

bool for_short_rows(const evidence& e) {
  return for_whole_sectors(e) && lane_rectangle(e.current.options.block).width < simt::sector_bytes;
}

bool loads_one_sector(const evidence& e) {
  return e.counts().global_load.sectors == e.counts().global_load.requests;
}

bool no_conflict(const evidence& e) {
  return e.counts().shared_conflicts() == 0;
}

std::string load_sectors_a_request(const evidence& e) {
  const auto& load = e.counts().global_load;
  return fmt::format("{:.2f} sectors a request", ratio(load.sectors, load.requests));
}

std::string store_sectors_a_request(const evidence& e) {
  const auto& store = e.counts().global_store;
  return fmt::format("{:.2f} sectors a request", ratio(store.sectors, store.requests));
}

std::string stored_bytes_of_a_sector(const evidence& e) {
  return fmt::format("{:.1f} of {} bytes",
                     ratio(shape_of(e).pixels(), e.counts().global_store.sectors),
                     simt::sector_bytes);
}

std::string stored_bytes_a_request(const evidence& e) {
  return fmt::format("{:.1f} bytes", ratio(shape_of(e).pixels(), e.counts().global_store.requests));
}

std::string ways_of_conflict(const evidence& e) {
  return fmt::format("{} in the grid, worst {}-way", e.counts().shared_conflicts(),
                     e.counts().worst_ways());
}

std::string refuse_for_naive(const trial_options& options) {
  const image_tile lanes = lane_rectangle(options.block);
  if (lanes.width * lanes.height != options.block) {
    return fmt::format("--block {}: its lanes lie as a rectangle {} wide; use a multiple of {}",
                       options.block, lanes.width, lanes.width);
  }
  return high(shape_of(options), lanes.height);
}

std::string refuse_for_tiles(const trial_options& options) {
  const unsigned side = tile_side(options.block);
  if (side != 0) return high(shape_of(options), side);
  return fmt::format("--block {}: a tile has 8 x 8, 16 x 16 or 32 x 32 lanes; use 64, 256 or 1024",
                     options.block);
}

std::string refuse_for_columns(const trial_options& options) {
  const image_shape shape = shape_of(options);
  const std::string why = large(shape);
  return why.empty() ? long_sum("--height", shape.height) : why;
}

std::string refuse_for_rows(const trial_options& options) {
  const image_shape shape = shape_of(options);
  const std::string why = large(shape);
  return why.empty() ? long_sum("--width", shape.width) : why;
}

}  // namespace onefold::ladder
