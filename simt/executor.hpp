// SPDX-License-Identifier: Apache-2.0
#pragma once
// Runs a launch on the CPU, block after block, every lane a fiber, and tells its observers of
// every access, basic block and barrier.

#include "simt/fibers.hpp"
#include "simt/findings.hpp"
#include "simt/memory_map.hpp"
#include "simt/observer.hpp"

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

  /// Runs every block; afterwards report() holds what the observers found in this launch.
  void run(const launch_config& config, kernel_call call);

  bool clean() const { return report_.empty(); }
  const findings& raw_findings() const { return report_; }
  std::vector<finding> report() const { return report_.located(sites_); }
  void* dynamic_shared() const { return map_.dynamic_shared(); }

  /// From the callbacks of the running lane; `pc` is the callback's return address.
  void on_access(std::uintptr_t address, unsigned size_bytes, bool writes, std::uintptr_t pc);
  void on_step(std::uintptr_t pc);
  void on_barrier(std::uintptr_t pc) {
    lane_state& lane = lanes_[running_];
    lane.state = progress::waiting;
    lane.barrier = sites_.id_of(pc);
    fibers_.pause();
  }

 private:
  enum class progress : std::uint8_t { ready, waiting, ended };

  struct lane_state {
    lane_position position;
    shape index;  ///< threadIdx
    progress state = progress::ready;
    site_id barrier = no_site;
    std::uint64_t steps = 0;  ///< basic blocks since the last barrier
  };

  static void enter_lane(void* self, unsigned thread);

  void begin(const launch_config& config, const kernel_call& call);
  void order_blocks(std::vector<std::uint64_t>& order);
  void run_block(std::uint64_t block);
  void run_lanes();
  void resume(unsigned thread);
  void release_barrier(unsigned block);
  void check_barrier();
  unsigned warps_waiting() const;
  void give_up() { given_up_ = true; }
  void forbid(std::uintptr_t address, unsigned size_bytes, bool writes, site_id site);

  arena memory_;
  memory_map map_;
  lane_fibers fibers_;
  site_table sites_;
  findings report_;
  std::vector<observer*> observers_;
  std::vector<observer*> step_observers_;

  launch_config config_;
  kernel_call call_{};
  std::vector<lane_state> lanes_;
  std::vector<unsigned> lane_order_;
  std::mt19937_64 random_;
  unsigned running_ = 0;
  unsigned interval_ = 0;
  unsigned ended_ = 0;
  bool given_up_ = false;
};

}  // namespace onefold::simt
