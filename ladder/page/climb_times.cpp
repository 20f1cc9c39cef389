// SPDX-License-Identifier: Apache-2.0
#include "ladder/page/climb_times.hpp"

#include <algorithm>
#include <cmath>

namespace onefold::ladder {
namespace {

double throughput(const hardware_time& t) {
  return static_cast<double>(t.bytes) / (t.median_us * 1e-6);
}

/// Plain reading of about as many bytes: what fits a cache is faster, what is small is slower.
const hardware_time* ceiling_of(std::size_t bytes) {
  const hardware_time* nearest = nullptr;
  const auto distance = [bytes](const hardware_time& t) {
    return std::abs(std::log2(static_cast<double>(t.bytes) / static_cast<double>(bytes)));
  };
  for (const hardware_time& t : recorded_times()) {
    if (t.rung != "read" || t.bytes == 0 || distance(t) > 1) continue;
    if (nearest == nullptr || distance(t) < distance(*nearest)) nearest = &t;
  }
  return nearest;
}

}  // namespace

std::optional<std::size_t> largest_recorded(const rung& r) {
  std::optional<std::size_t> largest;
  for (const hardware_time& t : recorded_times()) {
    if (t.rung == r.name && t.type == usual_type(r)) largest = std::max(largest.value_or(0), t.n);
  }
  return largest;
}

std::optional<climb_time> recorded_climb(const rung& r, std::size_t n) {
  const hardware_time* time = recorded_time(r.name, usual_type(r), n);
  if (time == nullptr || time->bytes == 0) return {};
  const hardware_time* ceiling = ceiling_of(time->bytes);
  if (ceiling == nullptr) return {};
  return climb_time{time->median_us, throughput(*time), throughput(*time) / throughput(*ceiling)};
}

std::vector<time_line> recorded_lines(const rung& r) {
  std::vector<time_line> lines;
  for (const hardware_time& t : recorded_times()) {
    if (t.rung != r.name || t.type != usual_type(r)) continue;
    const auto climbed = recorded_climb(r, t.n);
    lines.push_back(
        {t.n, t.median_us, climbed ? std::optional(climbed->share_of_ceiling) : std::nullopt});
  }
  std::ranges::sort(lines, {}, &time_line::n);
  return lines;
}

}  // namespace onefold::ladder
