// SPDX-License-Identifier: Apache-2.0
#pragma once
// One run on one GPU over the same floats: the rungs from the atomic to the bulk copy, CUB, and the
// library's exact sum; how fast each is, and how far its answers are off when the floats are
// shuffled. A build without CUDA has the function too (none.cpp); it says why there is no GPU.

#include <cstddef>
#include <string>
#include <vector>

namespace onefold::ladder {

struct climb_step_time {
  std::string name;  ///< of a rung, or "CUB reproducible", "onefold exact"
  double median_us = 0, first_quartile_us = 0, third_quartile_us = 0;
  unsigned answers = 0;     ///< different ones, of the shuffles
  double largest_ulps = 0;  ///< error of the worst, in ulps of the exact sum rounded once
};

struct whole_climb {
  std::string gpu, driver, runtime, date;
  std::size_t n = 0;
  unsigned shuffles = 0;
  double reading_us = 0;  ///< plain reading of the same bytes in the same run
  std::vector<climb_step_time> steps;
  std::vector<std::string> left_out;  ///< sentences: what the run has no row of, and why

  double bytes() const { return static_cast<double>(n) * sizeof(float); }
  double gigabytes_a_second(const climb_step_time& s) const { return bytes() / s.median_us * 1e-3; }
  double of_reading(const climb_step_time& s) const { return reading_us / s.median_us; }
};

inline constexpr std::size_t whole_climb_n = std::size_t{1} << 28;  ///< 1 GiB
inline constexpr unsigned whole_climb_shuffles = 20;

/// n: a power of two. Fails: std::invalid_argument; std::runtime_error when there is no GPU, or
/// with CUDA's own words.
whole_climb climb_whole(std::size_t n, unsigned shuffles);

}  // namespace onefold::ladder
