// SPDX-License-Identifier: Apache-2.0
#pragma once
// Runs a launch on the CPU, cluster after cluster, every lane a fiber, and tells its observers of
// every access, basic block and barrier. A cluster is most often one block.

#include "simt/copies.hpp"
#include "simt/fibers.hpp"
#include "simt/findings.hpp"
#include "simt/left_out.hpp"
#include "simt/memory_map.hpp"
#include "simt/observer.hpp"
#include "simt/waiting_warp.hpp"

#include <array>
#include <random>
#include <span>

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
  /// Whether the last launch was ended before its lanes were, as a device would have ended it.
  bool gave_up() const { return given_up_; }
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
    if (word == barrier_word::plain && all_waits.leaves_out(pc, wait_kind::block_barrier)) return 0;
    lane_state& lane = lanes_[running_];
    lane.state = progress::at_barrier;
    lane.site = sites_.id_of(pc);
    lane.word = word;
    lane.predicate = predicate != 0;
    --ready_;
    fibers_.pause();
    return predicate_fold_[rank_of(lane.position)][static_cast<std::size_t>(lane.word)];
  }
  // asynchrony.cpp
  void begin_copy(const copy_call& call, std::uintptr_t pc);
  void commit_copies(std::uintptr_t pc);
  void wait_for_copies(std::size_t later_groups, std::uintptr_t pc);
  void init_mbarrier(const void* at, unsigned arrivals, std::uintptr_t pc);
  void fence_mbarriers();
  void arrive_at_mbarrier(const void* at, unsigned expected_bytes, std::uintptr_t pc);
  void wait_at_mbarrier(const void* at, unsigned parity, std::uintptr_t pc);
  void store_later(void* to, const void* value, std::size_t size_bytes, const void* at,
                   std::uintptr_t pc);
  void copy_bulk(void* to, const void* from, std::size_t size_bytes, const void* at,
                 std::uintptr_t pc);
  void arrive_at_cluster(bool releases, std::uintptr_t pc);
  void wait_at_cluster(std::uintptr_t pc);
  unsigned cluster_rank() const { return rank_of(lanes_[running_].position); }
  unsigned cluster_size() const { return config_.cluster; }
  void* shared_at_rank(const void* at, unsigned rank) {
    return map_.at_rank(reinterpret_cast<std::uintptr_t>(at), rank);
  }

  /// Basic blocks that the running lane has entered in its life.
  std::uint64_t on_clock() {
    lane_state& lane = lanes_[running_];
    count_expected_steps(lane);
    return lane.steps_before + lane.steps;
  }

  std::uint32_t own_lane_mask() const { return 1u << lanes_[running_].position.lane; }

 private:
  // A lane that spins lets the others run this often, so that it may see what it waits for.
  static constexpr std::uint64_t steps_between_pauses = 1u << 16;

  enum class progress : std::uint8_t {
    ready,
    at_barrier,
    in_warp_operation,
    at_mbarrier,
    at_cluster_barrier,
    ended,
  };

  struct lane_state {
    lane_position position;
    shape index;  ///< threadIdx
    progress state = progress::ready;
    barrier_word word = barrier_word::plain;
    bool predicate = false;
    site_id site = no_site;   ///< where it waits
    std::uint64_t steps = 0;  ///< basic blocks since the last barrier
    std::uint64_t steps_before = 0;
    std::uint64_t pause_at = 0;    ///< steps
    std::uint64_t operations = 0;  ///< of counted<T>
    const mbarrier* waits_at = nullptr;
    std::uint64_t cluster_arrivals = 0;
  };

  static void enter_lane(void* self, unsigned thread);

  // executor.cpp: launches, blocks, lanes
  void begin(const launch_config& config, const kernel_call& call);
  void place_lanes();
  void order_clusters(std::vector<std::uint64_t>& order);
  void run_cluster(std::uint64_t first_block);
  void begin_cluster();
  void enter_block(unsigned rank);
  void run_lanes();
  void resume(unsigned thread);
  void end_lane(lane_state& lane);
  unsigned rank_of(const lane_position& who) const { return who.thread / block_threads_; }

  // accesses.cpp
  void expect_steps(const lane_state& lane);
  void count_expected_steps(lane_state& lane);
  void pause_after_steps(lane_state& lane, std::uintptr_t pc);
  void tell_access(const address_info& found, memory_access access) {
    access.where = found.where == region::shared ? space::shared : space::global;
    access.inside = found.inside;
    access.who = lanes_[running_].position;
    access.offset = found.offset;
    for (observer* o : access_observers_) o->access(access);
  }
  void let_blocks_pass();
  void forbid(std::uintptr_t address, unsigned size_bytes, bool writes, site_id site);

  // waits.cpp: barriers, warp operations, and what can never end
  bool release_barriers();
  bool all_wait(unsigned rank) const;
  void release_barrier(unsigned rank);
  void check_barrier(unsigned rank);
  void fold_predicates(unsigned rank);
  unsigned warps_at_barrier(unsigned rank) const;
  std::span<lane_state> lanes_of(unsigned rank) {
    return {lanes_.data() + rank * block_threads_, block_threads_};
  }
  std::span<const lane_state> lanes_of(unsigned rank) const {
    return {lanes_.data() + rank * block_threads_, block_threads_};
  }
  bool come_to_warp_operation(warp_call call, std::uintptr_t pc);
  void finish_complete_groups(unsigned warp);
  void finish(unsigned warp, const warp_group& group);
  void report_masks(unsigned warp, const warp_group& group, std::uint32_t without_source);
  bool any_in_warp_operation() const;
  void report_stall();
  bool report_different_masks();
  void report_deadlock();

  // asynchrony.cpp
  /// How many bytes of a copy are reported as read and written with it; 0: with another copy.
  struct access_bytes {
    unsigned read, written;
  };
  bool depart(asynchronous_copy& copy, access_bytes sizes);
  void land(const asynchronous_copy& copy, copy_moment moment);
  void* address_of(const asynchronous_copy& copy) const;
  void report_not_landed(std::span<const asynchronous_copy> copies);
  mbarrier* find_mbarrier(const void* at, site_id site);
  void show_mbarriers(audience to, std::uint32_t lanes, unsigned warp_or_rank);
  void end_phase_if_over(mbarrier& m);
  void send(asynchronous_copy copy, access_bytes sizes, const void* mbarrier_at);
  void release_sent(const void* mbarrier_at);
  void end_cluster_phase_if_over();
  void wait_elsewhere(progress state, const mbarrier* at, site_id site);
  void wake(progress state, const mbarrier* at);
  void check_remote(const address_info& found, site_id site);

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
  /// Of the last barrier of each block, by barrier_word.
  std::array<std::array<int, 4>, max_cluster_blocks> predicate_fold_{};
  std::mt19937_64 random_;
  std::uint64_t first_block_ = 0;  ///< of the running cluster
  unsigned block_threads_ = 0;
  unsigned entered_ = 0;  ///< rank of the running block
  unsigned running_ = 0;
  std::array<unsigned, max_cluster_blocks> interval_{};     ///< barriers that a block has passed
  std::array<unsigned, max_cluster_blocks> block_ended_{};  ///< lanes of a block that have ended
  unsigned ready_ = 0;
  unsigned elsewhere_ = 0;  ///< lanes that wait at an mbarrier or for their cluster
  unsigned ended_ = 0;
  bool given_up_ = false;

  std::vector<copy_groups> copies_;  ///< of each lane
  mbarrier_table mbarriers_;
  meeting meetings_ = 0;  ///< the last one
  std::uint64_t cluster_phase_ = 0;
  std::uint64_t cluster_arrived_ = 0;
  bool cluster_releases_ = true;  ///< whether all arrivals of this phase are releases
  meeting cluster_now_ = 0, cluster_last_ = 0;
};

}  // namespace onefold::simt
