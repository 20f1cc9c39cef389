// SPDX-License-Identifier: Apache-2.0
#pragma once
// What was recorded on real hardware, as data: bench/results/CARD/ladder_*.json, compiled in. The
// executor's numbers are held against the counters; the times are the climb.

#include "ladder/rung/rung.hpp"

namespace onefold::ladder {

/// Of recorded data: "int", "float", "double", "u8".
/// Fails: std::runtime_error for another name.
element recorded_type(const std::string& name);

/// How and where the counters were recorded; one launch size for all of them.
struct hardware_record {
  std::string machine;  ///< short, a column's head
  std::string source;   ///< "Nsight Compute, no clock control, NVIDIA H200, CUDA 13.0, 2026-11-21"
  std::size_t n;
  unsigned block;
  unsigned lanes;  ///< that run at a time
};

const hardware_record& recorded();

/// The counters of a rung with its usual type, or null: nobody has recorded it.
const hardware_counters* recorded_counters(std::string_view rung);

/// The same, and null unless the trial was run as the recorded launch.
const hardware_counters* recorded_counters(std::string_view rung, const trial_options& options);

/// Device time of one call, value on the device, inputs warm in the cache where they fit.
struct hardware_time {
  std::string rung;  ///< or "read", the ceiling of plain reading
  element type;
  std::size_t n;
  std::size_t bytes;  ///< that a perfect kernel reads and writes
  double median_us, first_quartile_us, third_quartile_us;
};

/// All recorded times. The machine and date: times_source().
const std::vector<hardware_time>& recorded_times();
std::string times_source();

/// Null: not recorded.
const hardware_time* recorded_time(std::string_view rung, element type, std::size_t n);

}  // namespace onefold::ladder
