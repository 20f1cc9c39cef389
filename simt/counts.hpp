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

  // Atomics stand apart from loads and stores.
  global_counts global_atomic;
  shared_counts shared_atomic;
  std::uint64_t shared_atomics = 0;  ///< its requests

  // Warp operations and fences as instructions: one for each warp, or part of one, that executes
  // it together. Of 8 bytes too, which is two instructions on the device.
  std::uint64_t shuffles = 0;
  std::uint64_t votes = 0;  ///< __ballot_sync, __any_sync, __all_sync
  std::uint64_t matches = 0;
  std::uint64_t reductions = 0;
  std::uint64_t syncwarps = 0;
  std::uint64_t fences = 0;

  // Operations on elements of type counted<T>.
  std::uint64_t element_operations = 0;
  std::uint64_t element_operations_worst_lane = 0;

  bool operator==(const counts&) const = default;
  /// The counts of two launches together.
  counts& operator+=(const counts& more);

  std::uint64_t shared_wavefronts() const {
    return shared_load.wavefronts + shared_store.wavefronts;
  }
  /// Of loads, stores and atomic updates.
  std::uint64_t global_sectors() const {
    return global_load.sectors + global_store.sectors + global_atomic.sectors;
  }
  std::uint64_t shared_conflicts() const { return shared_load.conflicts + shared_store.conflicts; }
  unsigned worst_ways() const {
    return shared_load.worst_ways > shared_store.worst_ways ? shared_load.worst_ways
                                                            : shared_store.worst_ways;
  }
};

/// Basic blocks that warps execute, as the host's compiler cut the source: the nearest that the
/// executor comes to instructions. The two compilers cut in different places.
struct block_counts {
  /// Once for all lanes of a warp that enter a block for the k-th time since a barrier.
  std::uint64_t by_warps = 0;
  std::uint64_t by_lanes = 0;
  bool operator==(const block_counts&) const = default;
  block_counts& operator+=(const block_counts& more);

  /// On average, of a warp's; 0 where nothing ran.
  double lanes_together() const {
    return by_warps == 0 ? 0 : static_cast<double>(by_lanes) / static_cast<double>(by_warps);
  }
};

/// Adds up everything but divergent branches, which are branch_counter's.
class request_counter : public observer, public request_listener {
 public:
  const counts& total() const { return total_; }

  void launch_begins(const launch_view& launch) override;
  void fence(const lane_position& who, fence_scope scope, site_id site) override;
  void warp_operation(const warp_operation_view& operation) override;
  void element_operations(const lane_position& who, std::uint64_t count) override;
  void barrier(const barrier_view& barrier) override;
  void block_ends(unsigned) override { forget_fences(); }
  void request(const priced_request& priced) override;
  bool wants_accesses() const override { return false; }

 private:
  struct warp_fence {
    bool counted = false;
  };

  void forget_fences();
  std::uint64_t& counter_of(warp_word word);

  counts total_;
  std::vector<warp_groups<warp_fence>> fences_;  ///< by warp
};

}  // namespace onefold::simt
