// SPDX-License-Identifier: Apache-2.0
#include "simt/executor.hpp"

#include "simt/callbacks.hpp"
#include "simt/program_image.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <stdexcept>

// The built-in variables that kernels see as const (simt.hpp): x, y, z each.
extern "C" {
onefold::simt::shape onefold_simt_thread_index;
onefold::simt::shape onefold_simt_block_index;
onefold::simt::shape onefold_simt_block_shape;
onefold::simt::shape onefold_simt_grid_shape;
}

namespace onefold::simt {
namespace {

// A lane that spins lets the others run this often, so that it may see what it waits for.
constexpr std::uint64_t steps_between_pauses = 1u << 16;

void require(bool condition, const std::string& message) {
  if (!condition) throw std::invalid_argument(message);
}

void validate(const launch_config& config) {
  const std::uint64_t threads = config.block.volume();
  require(threads >= 1 && threads <= max_block_threads,
          "launch: a block of " + std::to_string(threads) + " threads; use 1 to 1024");
  require(config.grid.volume() >= 1, "launch: the grid is empty; use at least one block");
  require(config.dynamic_shared_bytes <= max_dynamic_shared_bytes,
          "launch: " + std::to_string(config.dynamic_shared_bytes) +
              " bytes of dynamic shared memory; a block has 232448");
  require(std::has_single_bit(config.warp_lanes) && config.warp_lanes <= max_warp_lanes,
          "launch: a warp of " + std::to_string(config.warp_lanes) +
              " lanes; use a power of two up to 32");
}

/// x runs fastest, as on the device.
shape index_in(const shape& extent, std::uint64_t flat) {
  return {static_cast<unsigned>(flat % extent.x), static_cast<unsigned>(flat / extent.x % extent.y),
          static_cast<unsigned>(flat / extent.x / extent.y)};
}

/// Fisher and Yates, written out because std::shuffle may differ between standard libraries.
template <class T>
void shuffle(std::vector<T>& items, std::mt19937_64& random) {
  for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[random() % i]);
}

}  // namespace

void run(executor& device, const launch_config& config, kernel_call call) {
  device.run(config, call);
}

executor::executor() : map_(memory_) {
  for (const shape* s : {&onefold_simt_thread_index, &onefold_simt_block_index,
                         &onefold_simt_block_shape, &onefold_simt_grid_shape}) {
    map_.add_builtin(s, sizeof(*s));
  }
}

void executor::attach(observer& o) {
  observers_.push_back(&o);
  if (o.wants_steps()) step_observers_.push_back(&o);
}

void executor::run(const launch_config& config, kernel_call call) {
  validate(config);
  begin(config, call);
  std::vector<std::uint64_t> blocks(config.grid.volume());
  order_blocks(blocks);
  for (const std::uint64_t block : blocks) {
    if (!given_up_) run_block(block);
  }
}

void executor::begin(const launch_config& config, const kernel_call& call) {
  config_ = config;
  call_ = call;
  given_up_ = false;
  report_.clear();
  random_.seed(config.seed);
  onefold_simt_block_shape = config.block;
  onefold_simt_grid_shape = config.grid;
  map_.begin_launch(config, call);

  const auto threads = static_cast<unsigned>(config.block.volume());
  lanes_.assign(threads, {});
  for (unsigned t = 0; t < threads; ++t) {
    lanes_[t].position = {static_cast<std::uint16_t>(t),
                          static_cast<std::uint16_t>(t / config.warp_lanes),
                          static_cast<std::uint16_t>(t % config.warp_lanes)};
    lanes_[t].index = index_in(config.block, t);
  }
  lane_order_.resize(threads);
  std::iota(lane_order_.begin(), lane_order_.end(), 0u);
  if (config.order == schedule::reverse) std::reverse(lane_order_.begin(), lane_order_.end());

  const unsigned warps = (threads + config.warp_lanes - 1) / config.warp_lanes;
  const launch_view view{config_, map_, memory_, report_, sites_, threads, warps};
  for (observer* o : observers_) o->launch_begins(view);
}

void executor::order_blocks(std::vector<std::uint64_t>& order) {
  std::iota(order.begin(), order.end(), std::uint64_t{0});
  if (config_.order == schedule::reverse) std::reverse(order.begin(), order.end());
  if (config_.order == schedule::shuffled) shuffle(order, random_);
}

void executor::run_block(std::uint64_t block) {
  onefold_simt_block_index = index_in(config_.grid, block);
  map_.begin_block();
  for (lane_state& lane : lanes_) {
    lane.state = progress::ready;
    lane.steps = 0;
  }
  interval_ = ended_ = 0;
  const auto number = static_cast<unsigned>(block);
  for (observer* o : observers_) o->block_begins(number);
  fibers_.prepare(static_cast<unsigned>(lanes_.size()), &executor::enter_lane, this);

  while (true) {
    run_lanes();
    if (given_up_ || ended_ == lanes_.size()) break;
    release_barrier(number);
  }
  for (observer* o : observers_) o->block_ends(number);
}

inline void executor::resume(unsigned thread) {
  running_ = thread;
  onefold_simt_thread_index = lanes_[thread].index;
  fibers_.resume(thread);
  running_executor = nullptr;
}

void executor::run_lanes() {
  if (config_.order == schedule::shuffled) shuffle(lane_order_, random_);
  bool any_ready = true;
  while (any_ready && !given_up_) {
    any_ready = false;
    for (const unsigned thread : lane_order_) {
      if (lanes_[thread].state != progress::ready) continue;
      resume(thread);
      if (given_up_) return;
      any_ready |= lanes_[thread].state == progress::ready;
    }
  }
}

void executor::enter_lane(void* self, unsigned thread) {
  auto& device = *static_cast<executor*>(self);
  running_executor = &device;
  device.call_.invoke(device.call_.closure);
  running_executor = nullptr;
  lane_state& lane = device.lanes_[thread];
  lane.state = progress::ended;
  ++device.ended_;
  for (observer* o : device.observers_) o->lane_ends(lane.position);
}

void executor::release_barrier(unsigned block) {
  check_barrier();
  const barrier_view view{block, interval_, warps_waiting()};
  for (observer* o : observers_) o->barrier(view);
  ++interval_;
  for (lane_state& lane : lanes_) {
    if (lane.state == progress::waiting) lane.state = progress::ready;
    lane.steps = 0;
  }
}

void executor::check_barrier() {
  site_id first = no_site;
  for (const lane_state& lane : lanes_) {
    if (lane.state != progress::waiting || lane.barrier == first) continue;
    if (first == no_site) {
      first = lane.barrier;
    } else if (std::string* detail =
                   report_.add(defect::divergent_barrier, std::min(first, lane.barrier),
                               std::max(first, lane.barrier))) {
      *detail = "lanes of one block wait at two different barriers";
    }
  }
  if (ended_ == 0) return;
  if (std::string* detail = report_.add(defect::divergent_barrier, first)) {
    *detail = std::to_string(ended_) + " of " + std::to_string(lanes_.size()) +
              " lanes of the block ended without coming here";
  }
}

unsigned executor::warps_waiting() const {
  unsigned warps = 0;
  unsigned counted = ~0u;  // lanes are in order of warps
  for (const lane_state& lane : lanes_) {
    if (lane.state != progress::waiting || lane.position.warp == counted) continue;
    counted = lane.position.warp;
    ++warps;
  }
  return warps;
}

void executor::on_access(std::uintptr_t address, unsigned size_bytes, bool writes,
                         std::uintptr_t pc) {
  const address_info found = map_.find(address, size_bytes);
  if (found.where == region::parameter) return;
  if (found.where == region::unknown) {
    if (fibers_.on_stack(running_, address)) return;
    if (!writes && is_program_constant(address)) return;
    return forbid(address, size_bytes, writes, sites_.id_of(pc));
  }
  const memory_access access{found.where == region::shared ? space::shared : space::global,
                             writes,
                             found.inside,
                             static_cast<std::uint16_t>(size_bytes),
                             sites_.id_of(pc),
                             lanes_[running_].position,
                             found.offset};
  for (observer* o : observers_) o->access(access);
  if (config_.order == schedule::lockstep) fibers_.pause();
}

void executor::forbid(std::uintptr_t address, unsigned size_bytes, bool writes, site_id site) {
  if (std::string* detail = report_.add(defect::bounds, site)) {
    *detail = std::string(writes ? "write" : "read") + " of " + std::to_string(size_bytes) +
              " bytes, " + map_.describe_unknown(address, size_bytes);
  }
  // A device ends the kernel here; the access itself could end this process.
  give_up();
  fibers_.pause();
}

void executor::on_step(std::uintptr_t pc) {
  lane_state& lane = lanes_[running_];
  for (observer* o : step_observers_) o->step(lane.position, pc);
  if (++lane.steps % steps_between_pauses != 0) return;
  if (lane.steps >= config_.step_budget) {
    if (std::string* detail = report_.add(defect::no_progress, sites_.id_of(pc))) {
      *detail = "a lane ran " + std::to_string(lane.steps) +
                " basic blocks without coming to a barrier or its end";
    }
    give_up();
  }
  fibers_.pause();
}

}  // namespace onefold::simt
