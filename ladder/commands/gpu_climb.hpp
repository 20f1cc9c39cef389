// SPDX-License-Identifier: Apache-2.0
#pragma once
// The second half of `onefold-ladder run`: the same rungs on the GPU of this machine, timed beside
// plain reading and CUB.

#include "ladder/commands/climb.hpp"
#include "ladder/gpu/gpu.hpp"
#include "ladder/page/json.hpp"

namespace onefold::ladder {

/// Elements at which a GPU is busy for long enough to be timed: 256 MiB of floats.
constexpr std::size_t usual_gpu_n = std::size_t{1} << 26;

struct gpu_result {
  std::string_view name;  ///< of a rung, or of a yardstick
  gpu_trial outcome;
  double of_ceiling;  ///< its bytes a second over those of plain reading
};

struct gpu_climb {
  gpu machine;
  std::size_t n;
  std::vector<gpu_result> results;

  bool all_right() const;
};

/// Times the rungs that have a GPU kernel, each with its options but for n; twins run nowhere but
/// under the executor.
/// Fails: std::runtime_error when there is no GPU, or with CUDA's own words.
gpu_climb climb_on_gpu(const std::vector<climb_step>& steps, std::size_t n);

std::string gpu_climb_text(const gpu_climb& climb);
json gpu_climb_json(const gpu_climb& climb);

}  // namespace onefold::ladder
