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
int onefold_simt_warp_size = onefold::simt::max_warp_lanes;
std::uint64_t onefold_simt_element_operations = 0;
}

namespace onefold::simt {
namespace {

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
  require(config.cluster >= 1 && config.cluster <= max_cluster_blocks &&
              config.grid.x % config.cluster == 0,
          "launch: a cluster of " + std::to_string(config.cluster) +
              " blocks; use 1 to 16 that divide the grid's x");
  require(config.cluster == 1 || threads % config.warp_lanes == 0,
          "launch: a cluster of blocks of " + std::to_string(threads) +
              " threads; use whole warps");
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
  map_.add_builtin(&onefold_simt_warp_size, sizeof(onefold_simt_warp_size));
}

void executor::attach(observer& o) {
  observers_.push_back(&o);
  if (o.wants_accesses()) access_observers_.push_back(&o);
  if (o.wants_steps()) step_observers_.push_back(&o);
}

void executor::run(const launch_config& config, kernel_call call) {
  validate(config);
  begin(config, call);
  std::vector<std::uint64_t> clusters(config.grid.volume() / config.cluster);
  order_clusters(clusters);
  for (const std::uint64_t cluster : clusters) {
    if (!given_up_) run_cluster(cluster * config.cluster);
  }
}

void executor::begin(const launch_config& config, const kernel_call& call) {
  config_ = config;
  call_ = call;
  given_up_ = false;
  expects_steps_ = follower_ != nullptr && step_observers_.empty();
  report_.clear();
  random_.seed(config.seed);
  onefold_simt_block_shape = config.block;
  onefold_simt_grid_shape = config.grid;
  onefold_simt_warp_size = static_cast<int>(config.warp_lanes);
  map_.begin_launch(config, call);

  block_threads_ = static_cast<unsigned>(config.block.volume());
  place_lanes();
  const auto warps = static_cast<unsigned>(warps_.size());
  const auto threads = static_cast<unsigned>(lanes_.size());
  const launch_view view{config_, map_, memory_, report_, sites_, threads, warps};
  for (observer* o : observers_) o->launch_begins(view);
}

void executor::place_lanes() {
  const unsigned warp_lanes = config_.warp_lanes, threads = block_threads_ * config_.cluster;
  lanes_.assign(threads, {});
  warps_.assign((threads + warp_lanes - 1) / warp_lanes, {});
  copies_.resize(std::max<std::size_t>(copies_.size(), threads));
  for (unsigned t = 0; t < threads; ++t) {
    lanes_[t].position = {static_cast<std::uint16_t>(t), static_cast<std::uint16_t>(t / warp_lanes),
                          static_cast<std::uint16_t>(t % warp_lanes)};
    lanes_[t].index = index_in(config_.block, t % block_threads_);
    warps_[t / warp_lanes].exists |= 1u << t % warp_lanes;
  }
  lane_order_.resize(threads);
  std::iota(lane_order_.begin(), lane_order_.end(), 0u);
  if (config_.order == schedule::reverse) std::reverse(lane_order_.begin(), lane_order_.end());
}

void executor::order_clusters(std::vector<std::uint64_t>& order) {
  std::iota(order.begin(), order.end(), std::uint64_t{0});
  if (config_.order == schedule::reverse) std::reverse(order.begin(), order.end());
  if (config_.order == schedule::shuffled) shuffle(order, random_);
}

void executor::run_cluster(std::uint64_t first_block) {
  first_block_ = first_block;
  begin_cluster();
  const auto number = static_cast<unsigned>(first_block);
  for (observer* o : observers_) o->block_begins(number);
  fibers_.prepare(static_cast<unsigned>(lanes_.size()), &executor::enter_lane, this);

  while (true) {
    run_lanes();
    if (given_up_ || ended_ == lanes_.size()) break;
    if (!release_barriers()) {
      report_stall();
      break;
    }
  }
  for (const auto& [at, m] : mbarriers_) {
    if (given_up_) break;
    report_not_landed(m.coming);
    report_not_landed(m.sent);
  }
  for (observer* o : observers_) o->block_ends(number);
}

void executor::begin_cluster() {
  entered_ = 0;
  onefold_simt_block_index = index_in(config_.grid, first_block_);
  map_.enter_block(0);
  map_.begin_block();
  for (lane_state& lane : lanes_) {
    lane.state = progress::ready;
    lane.steps = lane.steps_before = lane.operations = lane.cluster_arrivals = 0;
    lane.pause_at = steps_between_pauses;
  }
  for (waiting_warp& warp : warps_) {
    warp.live = warp.exists;
    warp.groups.clear();
  }
  for (copy_groups& copies : copies_) copies.clear();
  mbarriers_.clear();
  cluster_phase_ = cluster_arrived_ = 0;
  cluster_releases_ = true;
  cluster_now_ = ++meetings_;
  ready_ = static_cast<unsigned>(lanes_.size());
  interval_ = {};
  block_ended_ = {};
  elsewhere_ = ended_ = 0;
}

void executor::enter_block(unsigned rank) {
  entered_ = rank;
  onefold_simt_block_index = index_in(config_.grid, first_block_ + rank);
  map_.enter_block(rank);
}

void executor::expect_steps(const lane_state& lane) {
  if (expects_steps_) expected_step = first_expected_ = follower_->expected(lane.position);
}

void executor::count_expected_steps(lane_state& lane) {
  if (expected_step == first_expected_) return;
  const auto steps = static_cast<std::size_t>(expected_step - first_expected_);
  first_expected_ = expected_step;  // a lane that pauses now comes here again
  lane.steps += steps;
  follower_->went(lane.position, steps);
}

inline void executor::resume(unsigned thread) {
  running_ = thread;
  lane_state& lane = lanes_[thread];
  onefold_simt_thread_index = lane.index;
  if (config_.cluster > 1 && rank_of(lane.position) != entered_)
    enter_block(rank_of(lane.position));
  const std::uint64_t before = onefold_simt_element_operations;
  expect_steps(lane);
  fibers_.resume(thread);
  running_executor = nullptr;
  count_expected_steps(lane);
  expected_step = first_expected_ = &path_end;  // which nobody leaves
  lane.operations += onefold_simt_element_operations - before;
  if (lane.state == progress::ended) end_lane(lane);
}

void executor::run_lanes() {
  if (config_.order == schedule::shuffled) shuffle(lane_order_, random_);
  while (ready_ != 0 && !given_up_) {
    for (const unsigned thread : lane_order_) {
      if (lanes_[thread].state != progress::ready) continue;
      resume(thread);
      if (given_up_) return;
    }
  }
}

void executor::enter_lane(void* self, unsigned thread) {
  auto& device = *static_cast<executor*>(self);
  running_executor = &device;
  device.call_.invoke(device.call_.closure);
  running_executor = nullptr;
  device.lanes_[thread].state = progress::ended;
}

void executor::end_lane(lane_state& lane) {
  ++ended_;
  ++block_ended_[rank_of(lane.position)];
  --ready_;
  report_not_landed(copies_[lane.position.thread].pending());
  for (observer* o : observers_) {
    if (lane.operations != 0) o->element_operations(lane.position, lane.operations);
    o->lane_ends(lane.position);
  }
  waiting_warp& warp = warps_[lane.position.warp];
  warp.live &= ~(1u << lane.position.lane);
  if (!warp.groups.empty()) finish_complete_groups(lane.position.warp);
  end_cluster_phase_if_over();
}

std::string* executor::report(defect kind, site_id a, site_id b) {
  return report_.add(kind, std::min(a, b), std::max(a, b));
}

}  // namespace onefold::simt
