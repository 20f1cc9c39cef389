// SPDX-License-Identifier: Apache-2.0
#pragma once
// A launch: shape, schedule, and the call of the kernel. Light enough for a kernel's own
// translation unit, where every inline function would be instrumented: no standard containers.

#include <cstddef>
#include <cstdint>

namespace onefold::simt {

/// The order in which the lanes of a block are resumed. A verdict never depends on it; a wrong
/// sum may, which is what the schedules demonstrate.
enum class schedule {
  forward,   ///< lane 0 runs to the barrier, then lane 1, ...
  reverse,   ///< the last block and the last lane first
  shuffled,  ///< a new order in every barrier interval, from the seed; blocks of a cluster pass
             ///< each other at atomics
  lockstep,  ///< all lanes advance by one memory access in turn
};

/// Largest values that the executor takes, those of compute capability 9.0.
inline constexpr unsigned max_block_threads = 1024;
inline constexpr unsigned max_warp_lanes = 32;
inline constexpr unsigned max_cluster_blocks = 16;
inline constexpr std::size_t max_dynamic_shared_bytes = std::size_t{227} * 1024;

struct shape {
  unsigned x = 1, y = 1, z = 1;
  constexpr std::uint64_t volume() const { return std::uint64_t{x} * y * z; }
};

struct launch_config {
  shape grid{};
  shape block{};
  std::size_t dynamic_shared_bytes = 0;
  unsigned warp_lanes = max_warp_lanes;  ///< a power of two; 4 draws the textbooks' pictures
  schedule order = schedule::forward;
  std::uint64_t seed = 1;                  ///< of schedule::shuffled
  std::uint64_t step_budget = 1ull << 20;  ///< basic blocks a lane may run between two barriers
  std::uint64_t barrier_budget = 0;        ///< barriers that a block may pass; 0: step_budget
  unsigned cluster = 1;                    ///< neighbouring blocks, along x, of a cluster
  /// What a lane gets from a warp operation that has nothing to give it: NaN, -1.
  std::uint64_t absent = ~std::uint64_t{0};
};

/// The closure that calls the kernel: type-erased, its bytes are the kernel's parameter memory.
struct kernel_call {
  void* closure;
  std::size_t size_bytes;
  void (*invoke)(void* closure);
};

class executor;

/// Runs the call once per lane of the grid.
/// Fails: std::invalid_argument for a shape that the device would refuse.
void run(executor& device, const launch_config& config, kernel_call call);

/// Address of the running block's dynamic shared memory.
void* dynamic_shared_memory() noexcept;

/// Launches `body`, which calls one kernel: launch(device, config, [=] { kernel(in, n, out); }).
/// Capture by value, as kernel parameters are copied: a reference would point to host memory, and
/// the executor reports every access outside device memory.
template <class Body>
void launch(executor& device, const launch_config& config, Body body) {
  run(device, config,
      {&body, sizeof(Body), [](void* closure) { (*static_cast<Body*>(closure))(); }});
}

}  // namespace onefold::simt
