// SPDX-License-Identifier: Apache-2.0
#include "ladder/try/launch/geometry.hpp"

#include "simt/launch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace onefold::ladder::learner {
namespace {

constexpr unsigned usual_rows = 64;

unsigned shares(std::uint64_t whole, std::uint64_t part) {
  return static_cast<unsigned>(std::max<std::uint64_t>(1, (whole + part - 1) / part));
}

unsigned flat_extent(std::uint64_t elements) {
  return static_cast<unsigned>(elements);
}

/// One extent of the grid for fewer elements: as many a lane as before.
unsigned fewer_blocks(std::uint64_t some, std::uint64_t full, unsigned grid, std::uint64_t block) {
  if (some == full) return grid;
  return shares(some, shares(full, grid * block) * block);
}

try_shape by_elements(const try_shape& data, const try_shape& block, bool flat) {
  if (flat) return {shares(data.volume(), block.volume())};
  return {shares(data.x, block.x), shares(data.y, block.y), shares(data.z, block.z)};
}

try_shape by_rule(grid_rule rule, const try_shape& data, const try_shape& block, bool flat) {
  const unsigned rows = data.y * data.z, lanes = static_cast<unsigned>(block.volume());
  switch (rule) {
  case grid_rule::row_blocks:
    return {rows};
  case grid_rule::row_lanes:
    return {shares(rows, lanes)};
  case grid_rule::row_groups:
    return {shares(rows, block.y)};
  case grid_rule::column_groups:
    return {shares(data.x, block.x)};
  case grid_rule::column_blocks:
    return {data.x};
  case grid_rule::column_lanes:
    return {shares(data.x, lanes)};
  case grid_rule::elements:
  case grid_rule::fixed:
    break;
  }
  return by_elements(data, block, flat);
}

class shapes {
 public:
  shapes(const geometry_request& request, const try_shape& block) : r_(request), block_(block) {
    const bool lines =
        r_.expectation == expectation::rows || r_.expectation == expectation::columns;
    matrix_ = r_.takes_width || r_.takes_height || lines ||
              r_.expectation == expectation::transpose || (r_.data && !r_.data->is_flat());
    wide_ = r_.facts.dimensions > 1 || !block_.is_flat() || (r_.grid && !r_.grid->is_flat());
  }

  std::vector<geometry> all() {
    if (matrix_) {
      add_matrix();
    } else if (wide_ && r_.takes_length && !r_.data) {
      add_square();
      add_line();
    } else {
      wide_ && !r_.data && !r_.n ? add_matrix() : add_line();
    }
    if (r_.lanes > 1 && r_.takes_length) add_components();
    return found_;
  }

 private:
  void add_line() {
    std::size_t n = r_.data ? r_.data->volume() : r_.n.value_or(usual_n);
    if (r_.one_cluster && !r_.n && !r_.data) {
      n = std::min<std::size_t>(n, block_.volume() *
                                       (r_.grid ? r_.grid->volume() : simt::max_cluster_blocks));
    } else if (wide_ && !r_.n && !r_.data) {
      n = r_.grid ? r_.grid->volume() * block_.volume() : 12 * block_.volume();
    }
    const try_shape data{flat_extent(n)};
    try_shape grid = r_.grid.value_or(by_elements(data, block_, true));
    if (wide_ && !r_.grid) grid = {shares(grid.x, 3), std::min(grid.x, 3u)};
    if (r_.one_cluster && !r_.grid) grid.x = std::min(grid.x, simt::max_cluster_blocks);
    if (r_.facts.block_axes == 0 && !r_.grid) found_.push_back({data, block_, {1}});
    found_.push_back({data, block_, grid});
  }

  /// One size of a square. Of a square shape it may be a side, too.
  void add_square() {
    unsigned side = 4 * std::max(block_.x, block_.y);
    if (r_.n) side = static_cast<unsigned>(*r_.n);
    if (r_.grid && !r_.n) side = std::max(r_.grid->x * block_.x, r_.grid->y * block_.y);
    const try_shape data{side, side};
    if (data.volume() > (std::size_t{1} << 20)) return;
    found_.push_back({data, block_, r_.grid.value_or(by_elements(data, block_, false)),
                      grid_rule::elements, length_unit::side, false});
  }

  try_shape usual_data() const {
    if (r_.data) return *r_.data;
    if (r_.n) {
      const auto width = static_cast<unsigned>(std::sqrt(static_cast<double>(*r_.n)));
      return {width, static_cast<unsigned>(*r_.n / width)};
    }
    if (r_.grid && wide_ && !lines()) {
      return {r_.grid->x * block_.x, r_.grid->y * block_.y, r_.grid->z * block_.z};
    }
    if (wide_ && (!lines() || !block_.is_flat())) {
      return {4 * block_.x, 3 * block_.y * (block_.y == 1 ? 16 : 1),
              block_.z == 1 ? 1 : 2 * block_.z};
    }
    return {lines() ? block_.x : 128, lines() ? usual_rows : 96};
  }

  bool lines() const {
    return r_.expectation == expectation::rows || r_.expectation == expectation::columns;
  }

  void add_matrix() {
    if (r_.takes_length && !r_.takes_width && !r_.takes_height && !r_.data) return add_square();
    const try_shape data = usual_data();
    const bool flat = !wide_;
    if (r_.takes_length && !r_.takes_width && wide_ && data.x == data.y && data.z == 1) {
      found_.push_back({data, block_, r_.grid.value_or(by_elements(data, block_, false)),
                        grid_rule::elements, length_unit::side, false});
    }
    std::vector<grid_rule> rules = {grid_rule::elements};
    if (lines() && block_.is_flat() && r_.facts.dimensions == 1) {
      rules =
          r_.expectation == expectation::rows
              ? std::vector{grid_rule::row_blocks, grid_rule::row_lanes, grid_rule::elements}
              : std::vector{grid_rule::column_lanes, grid_rule::column_blocks, grid_rule::elements};
    }
    if (lines() && wide_ && r_.facts.block_axes == 1) {
      rules = r_.expectation == expectation::rows
                  ? std::vector{grid_rule::row_groups, grid_rule::row_blocks}
                  : std::vector{grid_rule::column_groups, grid_rule::column_blocks};
    }
    if (lines() && r_.facts.block_axes == 0) rules = {grid_rule::elements};
    for (const grid_rule rule : rules) {
      try_shape grid = by_rule(rule, data, block_, flat);
      if (lines() && rule == grid_rule::elements) grid = along_axes(grid);
      if (r_.grid && *r_.grid != grid) continue;
      found_.push_back({data, block_, grid, rule, length_unit::elements, flat});
    }
    if (r_.grid && found_.empty()) {
      const grid_rule rule = lines() ? grid_rule::fixed : grid_rule::elements;
      found_.push_back({data, block_, *r_.grid, rule, length_unit::elements, flat});
    }
    if (wide_ && !r_.grid && block_.x != block_.y && block_.y != 1 && block_.z == 1) add_tiles();
  }

  /// Blocks along an axis that the kernel does not ask for would all do the same.
  try_shape along_axes(const try_shape& grid) const {
    return {(r_.facts.block_axes & 1) != 0 ? grid.x : 1,
            (r_.facts.block_axes & 2) != 0 ? grid.y : 1,
            (r_.facts.block_axes & 4) != 0 ? grid.z : 1};
  }

  /// Blocks of fewer rows than columns, whose lanes take several rows of a square tile.
  void add_tiles() {
    const unsigned side = std::max(block_.x, block_.y);
    const try_shape data = r_.data || r_.n ? usual_data() : try_shape{4 * side, 3 * side};
    const try_shape grid{shares(data.x, side), shares(data.y, side)};
    found_.push_back({data, block_, grid, grid_rule::elements, length_unit::elements, false});
  }

  /// The length may count numbers instead of vectors of them.
  void add_components() {
    const std::size_t count = found_.size();
    for (std::size_t i = 0; i < count; ++i) {
      if (found_[i].length != length_unit::elements) continue;
      found_.push_back(found_[i]);
      found_.back().length = length_unit::components;
    }
  }

  const geometry_request& r_;
  bool matrix_ = false;
  bool wide_ = false;  ///< the launch has several dimensions
  try_shape block_;
  std::vector<geometry> found_;
};

/// Those that the text speaks of, then the usual one.
std::vector<try_shape> blocks_of(const geometry_request& r) {
  if (r.block) return {*r.block};
  std::vector<try_shape> blocks = r.facts.blocks;
  const bool flat = (r.facts.thread_axes & ~1u) == 0;
  const unsigned most = r.facts.most_lanes;
  if (flat) blocks.push_back({std::min(256u, most)});
  if (!flat) blocks.push_back(r.facts.dimensions == 2 ? try_shape{16, 16} : try_shape{8, 8, 4});
  const auto again = std::find(blocks.begin(), blocks.end(), blocks.back());
  if (again + 1 != blocks.end()) blocks.pop_back();
  return blocks;
}

void check_cluster(const geometry& g) {
  const bool whole_warps = g.block.volume() % simt::max_warp_lanes == 0;
  if (g.grid.is_flat() && g.grid.x <= simt::max_cluster_blocks && whole_warps) return;
  throw std::invalid_argument(
      fmt::format("the kernel has a barrier of the grid, and try runs up to {} blocks of whole "
                  "warps at once, in a row; use --grid {} --block 256 or less",
                  simt::max_cluster_blocks, simt::max_cluster_blocks));
}

}  // namespace

try_shape geometry::grid_at(const try_shape& some) const {
  if (some == data || rule == grid_rule::fixed) return grid;
  if (rule != grid_rule::elements) return by_rule(rule, some, block, flat);
  if (!flat) {
    return {fewer_blocks(some.x, data.x, grid.x, block.x),
            fewer_blocks(some.y, data.y, grid.y, block.y),
            fewer_blocks(some.z, data.z, grid.z, block.z)};
  }
  if (!grid.is_flat()) return some.volume() <= block.volume() ? try_shape{1} : grid;
  return {fewer_blocks(some.volume(), data.volume(), grid.x, block.volume())};
}

unsigned long long geometry::length_at(const try_shape& some, unsigned lanes) const {
  if (length == length_unit::side) return some.x;
  return some.volume() * (length == length_unit::components ? lanes : 1);
}

namespace {

/// A lane may take two elements, or four.
void add_fewer_blocks(const geometry_request& request, std::vector<geometry>& found) {
  if (request.grid || found.empty() || request.one_cluster) return;
  geometry fewer = found.front();
  if (fewer.one_block || fewer.rule != grid_rule::elements || !fewer.flat || !fewer.grid.is_flat())
    return;
  for (const unsigned each : {2u, 4u}) {
    fewer.grid = {shares(found.front().grid.x, each)};
    if (fewer.grid.x > 1) found.push_back(fewer);
  }
}

}  // namespace

std::vector<geometry> geometries(const geometry_request& request) {
  std::vector<geometry> found;
  for (const try_shape& block : blocks_of(request)) {
    const std::vector<geometry> more = shapes(request, block).all();
    found.insert(found.end(), more.begin(), more.end());
  }
  for (geometry& g : found) g.one_block = request.facts.block_axes == 0 && g.grid.volume() == 1;
  add_fewer_blocks(request, found);
  if (found.empty()) {
    throw std::invalid_argument("no shape of the data fits; say which with --shape WIDTH,HEIGHT");
  }
  if (request.one_cluster) std::for_each(found.begin(), found.end(), check_cluster);
  return found;
}

geometry geometry::with_block(unsigned lanes) const {
  geometry other = *this;
  other.block = {lanes};
  if (one_block) return other;
  if (rule == grid_rule::elements && flat && grid.is_flat()) {
    const unsigned each = shares(data.volume(), grid.volume() * block.volume());
    other.grid = {shares(data.volume(), std::uint64_t{each} * lanes)};
  } else {
    other.grid = by_rule(rule, data, other.block, flat);
  }
  return other;
}

std::vector<try_shape> shorter_shapes(const geometry& full, const geometry_request& request) {
  const try_shape& d = full.data;
  if (full.rule == grid_rule::fixed || d.volume() == 1) return {};
  const bool square = full.length == length_unit::side;
  if (request.takes_length && (square || d.is_flat())) {
    std::vector<try_shape> list;
    for (const unsigned n : {1u, 2u, 3u, 31u, 32u, 33u, 255u, 256u, 257u, 1000u, d.x - 1}) {
      if (n >= d.x || (!list.empty() && n <= list.back().x)) continue;
      if (square && n > 33 && n != d.x - 1) continue;
      list.push_back(square ? try_shape{n, n} : try_shape{n});
    }
    return list;
  }
  const bool width = request.takes_width, height = request.takes_height;
  const auto less = [](unsigned extent, bool may) {
    return may && extent > 1 ? extent - 1 : extent;
  };
  const try_shape tail{less(d.x, width), less(d.y, height), less(d.z, height)};
  if (!width && !height) return {};
  const try_shape one{width ? 1 : d.x, height ? 1 : d.y, d.z};
  return tail == d || tail == one ? std::vector{one} : std::vector{one, tail};
}

}  // namespace onefold::ladder::learner
