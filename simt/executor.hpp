// SPDX-License-Identifier: Apache-2.0
#pragma once
// Runs a launch on the CPU, block after block, every lane a fiber, and tells its observers of
// every access, basic block and barrier.

#include "simt/fibers.hpp"
#include "simt/findings.hpp"
#include "simt/memory_map.hpp"
#include "simt/observer.hpp"
#include "simt/waiting_warp.hpp"

#include <array>
#include <random>

namespace onefold::simt {

class executor {
 public:
  executor();
  executor(const executor&) = delete;
  executor& operator=(const executor&) = delete;
  virtual ~executor() = default;

  arena& memory() { return memory_; }
  void attach(observer& o);
  /// Only one can be followed. It is told of every step when an observer wants them all.
  void follow(path_follower& follower) { follower_ = &follower; }

  /// Runs every block; afterwards report() holds what the observers found in this launch.
  void run(const launch_config& config, kernel_call call);

  bool clean() const { return report_.empty(); }
  const findings& raw_findings() const { return report_; }
  std::vector<finding> report() const { return report_.located(sites_); }
  void* dynamic_shared() const { return map_.dynamic_shared(); }

  /// From the callbacks of the running lane; `pc` is where the lane goes on.
  void on_access(std::uintptr_t address, unsigned size_bytes, bool writes, std::uintptr_t pc);
  void on_atomic(std::uintptr_t address, unsigned size_bytes, bool reads, std::uintptr_t pc);
  void on_step(std::uintptr_t pc);
  void on_fence(fence_scope scope, std::uintptr_t pc);
  std::uint64_t on_warp_operation(const warp_call& call, std::uintptr_t pc) {
    const lane_state& lane = lanes_[running_];
    if (!come_to_warp_operation(call, pc)) fibers_.pause();
    return warps_[lane.position.warp].result[lane.position.lane];
  }
  int on_barrier(barrier_word word, int predicate, std::uintptr_t pc) {
    lane_state& lane = lanes_[running_];
    lane.state = progress::at_barrier;
    lane.site = sites_.id_of(pc);
    lane.word = word;
    lane.predicate = predicate != 0;
    --ready_;
    fibers_.pause();
    return predicate_fold_[static_cast<std::size_t>(lane.word)];
  }
  std::uint32_t own_lane_mask() const { return 1u << lanes_[running_].position.lane; }

 private:
  // A lane that spins lets the others run this often, so that it may see what it waits for.
  static constexpr std::uint64_t steps_between_pauses = 1u << 16;

  enum class progress : std::uint8_t { ready, at_barrier, in_warp_operation, ended };

  struct lane_state {
    lane_position position;
    shape index;  ///< threadIdx
    progress state = progress::ready;
    barrier_word word = barrier_word::plain;
    bool predicate = false;
    site_id site = no_site;        ///< where it waits
    std::uint64_t steps = 0;       ///< basic blocks since the last barrier
    std::uint64_t pause_at = 0;    ///< steps
    std::uint64_t operations = 0;  ///< of counted<T>
  };

  static void enter_lane(void* self, unsigned thread);

  // executor.cpp: launches, blocks, lanes
  void begin(const launch_config& config, const kernel_call& call);
  void place_lanes(unsigned threads);
  void order_blocks(std::vector<std::uint64_t>& order);
  void run_block(std::uint64_t block);
  void begin_block();
  void run_lanes();
  void resume(unsigned thread);
  void end_lane(lane_state& lane);

  // accesses.cpp
  void expect_steps(const lane_state& lane);
  void count_expected_steps(lane_state& lane);
  void pause_after_steps(lane_state& lane, std::uintptr_t pc);
  void tell_access(const address_info& found, memory_access access);
  void forbid(std::uintptr_t address, unsigned size_bytes, bool writes, site_id site);

  // waits.cpp: barriers, warp operations, and what can never end
  void release_barrier(unsigned block);
  void check_barrier();
  void fold_predicates();
  unsigned warps_at_barrier() const;
  bool come_to_warp_operation(warp_call call, std::uintptr_t pc);
  void finish_complete_groups(unsigned warp);
  void finish(unsigned warp, const warp_group& group);
  void report_masks(unsigned warp, const warp_group& group, std::uint32_t without_source);
  bool any_in_warp_operation() const;
  void report_stall();
  bool report_different_masks();
  void report_deadlock();

  std::string* report(defect kind, site_id a, site_id b = no_site);
  void give_up() { given_up_ = true; }

  arena memory_;
  memory_map map_;
  lane_fibers fibers_;
  site_table sites_;
  findings report_;
  std::vector<observer*> observers_;
  std::vector<observer*> access_observers_;
  std::vector<observer*> step_observers_;
  path_follower* follower_ = nullptr;
  bool expects_steps_ = false;
  const std::uintptr_t* first_expected_ = &path_end;  ///< when the running lane went on

  launch_config config_;
  kernel_call call_{};
  std::vector<lane_state> lanes_;
  std::vector<unsigned> lane_order_;
  std::vector<waiting_warp> warps_;
  std::array<int, 4> predicate_fold_{};  ///< of the last barrier, by barrier_word
  std::mt19937_64 random_;
  unsigned running_ = 0;
  unsigned interval_ = 0;
  unsigned ready_ = 0;
  unsigned ended_ = 0;
  bool given_up_ = false;
};

}  // namespace onefold::simt
