// SPDX-License-Identifier: Apache-2.0
// Calls the kernels of a list of launches.
#include "cuda/plan/launch.hpp"
#include "cuda/runtime/device.hpp"

namespace onefold::cuda {
namespace {

// One function for each type of arguments. Returns a cudaError_t as int.
struct launcher {
  int device;
  unsigned multiprocessors;
  void* cleared;
  std::byte* scratch;
  cudaStream_t stream;

  std::int64_t* words() const { return reinterpret_cast<std::int64_t*>(scratch); }

  int operator()(const whole_launch& launch) const {
    const bool needed = needs_memory(launch.request, launch.grid);
    return launch_whole(launch.request, launch.grid, needed ? cleared : nullptr,
                        needed ? words() : nullptr, stream);
  }
  int operator()(const batched_launch& launch) const {
    return launch_batched(launch.request, launch.block, scratch, cleared, stream);
  }
  int operator()(const segments_launch& launch) const {
    return enqueue_segments(launch, scratch, stream);
  }
  int operator()(const row_folds_launch& launch) const {
    return launch_row_folds(launch.rows, launch.blocks, stream);
  }
  int operator()(const column_folds& columns) const {
    return launch_column_folds(columns, scratch, stream);
  }
  int operator()(const moment_columns& columns) const {
    return launch_moment_columns(columns, scratch, multiprocessors, stream);
  }
  int operator()(const exponential_columns& columns) const {
    return launch_exponential_columns(columns, scratch, multiprocessors, stream);
  }
  int operator()(const strided_launch& launch) const {
    return launch_strided(launch.request, launch.blocks, words(), stream);
  }
  int operator()(const gathered_launch& launch) const {
    enqueue_gathered(launch, device, cleared, scratch, stream);
    return int(cudaSuccess);
  }
};

}  // namespace

void enqueue(std::span<const kernel_launch> launches, int device, void* cleared, std::byte* scratch,
             cudaStream_t stream) {
  const launcher call = {device, multiprocessors_of(device), cleared, scratch, stream};
  for (const kernel_launch& each : launches) {
    if (each.is_zeroed)
      check(cudaMemsetAsync(scratch, 0, each.scratch, stream), "clearing the workspace");
    check_launch(std::visit(call, each.arguments));
  }
}

}  // namespace onefold::cuda
