// SPDX-License-Identifier: Apache-2.0
#pragma once
// The numbers of a launch, named as Nsight Compute's counters mean them.

#include "simt/requests.hpp"

namespace onefold::simt {

struct shared_counts {
  std::uint64_t requests = 0;
  std::uint64_t wavefronts = 0;  ///< l1tex__data_pipe_lsu_wavefronts_mem_shared_op_*
  std::uint64_t conflicts = 0;   ///< l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_*
  unsigned worst_ways = 0;
  bool operator==(const shared_counts&) const = default;
  shared_counts& operator+=(const shared_counts& more);
};

struct global_counts {
  std::uint64_t requests = 0;  ///< l1tex__t_requests_pipe_lsu_mem_global_op_*
  std::uint64_t sectors = 0;   ///< l1tex__t_sectors_pipe_lsu_mem_global_op_*
  std::uint64_t lines = 0;
  bool operator==(const global_counts&) const = default;
  global_counts& operator+=(const global_counts& more);
};

struct counts {
  shared_counts shared_load, shared_store;
  global_counts global_load, global_store;
  std::uint64_t divergent_branches = 0;  ///< source branches; ptxas may predicate them away
  std::uint64_t barriers = 0;            ///< warps at barriers: executed BAR instructions
  bool operator==(const counts&) const = default;
  /// The counts of two launches together.
  counts& operator+=(const counts& more);

  std::uint64_t shared_wavefronts() const {
    return shared_load.wavefronts + shared_store.wavefronts;
  }
  std::uint64_t shared_conflicts() const { return shared_load.conflicts + shared_store.conflicts; }
  unsigned worst_ways() const {
    return shared_load.worst_ways > shared_store.worst_ways ? shared_load.worst_ways
                                                            : shared_store.worst_ways;
  }
};

/// Adds up requests and barriers; divergent branches are branch_counter's.
class request_counter : public observer, public request_listener {
 public:
  const counts& total() const { return total_; }

  void launch_begins(const launch_view&) override { total_ = {}; }
  void barrier(const barrier_view& barrier) override { total_.barriers += barrier.warps_waiting; }
  void request(const priced_request& priced) override;

 private:
  counts total_;
};

}  // namespace onefold::simt
