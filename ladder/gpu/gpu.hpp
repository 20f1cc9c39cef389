// SPDX-License-Identifier: Apache-2.0
#pragma once
// The ladder on a real GPU, where there is one. A build without CUDA has these functions too
// (none.cpp); they then say why there is no GPU.

#include "ladder/rung/rung.hpp"
#include "ladder/trial/problem.hpp"

#include <optional>
#include <string>
#include <vector>

namespace onefold::ladder {

struct gpu {
  std::string name;  ///< as the driver gives it
  unsigned multiprocessors = 0;
  std::string driver, runtime;  ///< versions, "13.0"
};

struct gpu_search {
  std::optional<gpu> found;
  std::string why_not;  ///< a sentence with the remedy, when nothing was found
};

/// The first GPU. Never throws; asks the driver once.
const gpu_search& find_gpu();

/// Times of one call, each the mean over a batch of calls.
struct gpu_times {
  double median_us = 0, first_quartile_us = 0, third_quartile_us = 0;
};

/// One rung on the GPU: all its launches, until the driver's value is there.
struct gpu_trial {
  answer outcome;
  unsigned grid = 0;
  std::size_t bytes = 0;  ///< that a perfect kernel reads and writes
  gpu_times times;

  double bytes_per_second() const { return static_cast<double>(bytes) / (times.median_us * 1e-6); }
};

/// Whether run_on_gpu can take the type and operator.
bool has_gpu_kernel(const rung& r, const trial_options& options);

/// The driver that leaves the value on the device: one block where it can fold all partials.
driver device_driver(const rung& r);

/// Runs, checks, times (batches of calls replayed from a CUDA graph, by events) and checks again.
/// Inputs that fit the GPU's cache stay in it from call to call.
/// Fails: std::invalid_argument as validate(); std::runtime_error with CUDA's own words.
gpu_trial try_on_gpu(const rung& r, const trial_options& options);

/// Runs and checks once, untimed: for tests and for profilers. Returns the launches' answer.
answer run_on_gpu(const rung& r, const trial_options& options);

/// The ceiling that the ladder is measured against: 16-byte loads of n elements and nothing else.
/// Fails: std::invalid_argument for u8; std::runtime_error.
gpu_trial measure_reading(element type, std::size_t n);

}  // namespace onefold::ladder
