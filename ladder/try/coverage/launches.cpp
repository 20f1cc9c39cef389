// SPDX-License-Identifier: Apache-2.0
#include "ladder/try/coverage/launches.hpp"

#include <algorithm>

namespace onefold::ladder::learner {
namespace {

// A launch of these takes a few milliseconds, so each kind of launch has one.
constexpr unsigned usual_short = 1000;
constexpr unsigned most_lanes_together = 2048;
// Shorter ones leave a block with nothing but the special element.
constexpr unsigned least_special = 31;

/// The most blocks that can run at the same time and divide the grid.
unsigned blocks_together(const try_shape& grid, unsigned block) {
  if (!grid.is_flat() || block % simt::max_warp_lanes != 0) return 1;
  const unsigned most = std::min(simt::max_cluster_blocks, most_lanes_together / block);
  for (unsigned blocks = std::min(most, grid.x); blocks > 1; --blocks) {
    if (grid.x % blocks == 0) return blocks;
  }
  return 1;
}

class planner {
 public:
  explicit planner(const launch_request& request) : r_(request) {}

  std::vector<trial_launch> all() {
    const std::vector<try_shape> shorter = shorter_shapes(r_.shape, r_.sizes);
    std::vector<try_shape> small;
    std::copy_if(shorter.begin(), shorter.end(), std::back_inserter(small),
                 [](const try_shape& data) { return data.volume() <= usual_short; });
    for (const try_shape& data : small) {
      add(data, input_kind::random, r_.shape.block.x);
      add(data, input_kind::random, next_block());
    }
    const try_shape middle = small.empty() ? r_.shape.data : small.back();
    for (std::size_t i = 0; i < r_.special.size() && middle.volume() >= least_special; ++i) {
      add(middle, r_.special[i], own());
      list_.back().seed = i;
    }
    if (!small.empty()) {
      for (const unsigned block : r_.blocks) add(middle, input_kind::random, block);
      interleave(small);
    }
    for (const try_shape& data : shorter) {
      if (data.volume() <= usual_short) continue;
      for (std::size_t i = 0; i < std::min<std::size_t>(2, r_.orders.size()); ++i)
        add(data, input_kind::random, i == 0 || r_.blocks.empty() ? own() : r_.blocks.back());
    }
    add_fewer_blocks(middle);
    list_.push_back(trial_launch::at_full(r_.shape, r_.orders.front(), input_kind::counting));
    for (const simt::schedule order : r_.orders) {
      list_.push_back(trial_launch::at_full(r_.shape, order, input_kind::random));
    }
    add_fewer_blocks(r_.shape.data);
    return list_;
  }

 private:
  unsigned own() const { return r_.shape.block.x; }

  /// The own one and the others, round-robin.
  unsigned next_block() {
    const std::size_t count = r_.blocks.size() + 1, i = blocks_used_++ % count;
    return i < r_.blocks.size() ? r_.blocks[i] : own();
  }

  void add(const try_shape& data, input_kind kind, unsigned block) {
    const geometry shape = block == own() ? r_.shape : r_.shape.with_block(block);
    const simt::schedule order = r_.orders[list_.size() % r_.orders.size()];
    list_.push_back({data, order, kind, shape.grid_at(data), shape.block, 1, ++seed_});
  }

  /// A quarter of the grid: a lane whose stride is the grid's has several elements.
  void add_fewer_blocks(const try_shape& data) {
    const try_shape grid = r_.shape.grid_at(data);
    if (!r_.strides_by_grid || !grid.is_flat() || grid.x < 2) return;
    add(data, input_kind::random, own());
    list_.back().grid.x = std::max(1u, grid.x / 4);
  }

  /// Blocks side by side, so that one comes between two atomics of another.
  void interleave(const std::vector<try_shape>& small) {
    std::vector<unsigned> blocks = {own()};
    for (const unsigned block : r_.blocks) {
      if (block < own()) blocks.push_back(block);
    }
    for (const unsigned block : blocks) {
      for (auto data = small.rbegin(); r_.may_interleave && data != small.rend(); ++data) {
        add(*data, input_kind::random, block);
        trial_launch& last = list_.back();
        last.together = blocks_together(last.grid, block);
        last.order = r_.orders.back();
        if (last.together > 1) break;
        list_.pop_back();
      }
    }
    let_blocks_pass();
  }

  /// The launch of most blocks again, with several orders in which blocks pass each other.
  void let_blocks_pass() {
    if (std::ranges::find(r_.orders, simt::schedule::shuffled) == r_.orders.end()) return;
    trial_launch again = list_.back();
    if (again.together == 1) return;
    again.order = simt::schedule::shuffled;
    for (unsigned i = 0; i < 3; ++i) {
      again.seed = ++seed_;
      list_.push_back(again);
    }
  }

  const launch_request& r_;
  std::vector<trial_launch> list_;
  std::size_t blocks_used_ = 0;
  std::uint64_t seed_ = 0;
};

}  // namespace

std::vector<trial_launch> launches_of(const launch_request& request) {
  return planner(request).all();
}

}  // namespace onefold::ladder::learner
