// SPDX-License-Identifier: Apache-2.0
#pragma once
// Recorded times as a share of what plain reading reaches on the same GPU.

#include "ladder/page/page.hpp"
#include "ladder/rung/hardware.hpp"

#include <optional>

namespace onefold::ladder {

/// The length whose times the course compares.
inline constexpr std::size_t course_length = std::size_t{1} << 26;

struct climb_time {
  double median_us;
  double bytes_per_second;
  double share_of_ceiling;
};

/// The largest recorded length of a rung with its usual type; nothing when it was not recorded.
std::optional<std::size_t> largest_recorded(const rung& r);

/// Empty: not recorded, or without a ceiling of about so many bytes.
std::optional<climb_time> recorded_climb(const rung& r, std::size_t n);

/// Every recorded length, ascending.
std::vector<time_line> recorded_lines(const rung& r);

}  // namespace onefold::ladder
