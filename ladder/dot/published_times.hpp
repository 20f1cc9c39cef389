// SPDX-License-Identifier: Apache-2.0
#pragma once
// The times that the article gives, as ratios beside ours.
//
// It names neither its GPU nor the length of its vectors, so its microseconds compare with nothing
// but each other: how many times faster than its first version each version was, then and now.

#include "ladder/rung/hardware.hpp"

#include <optional>
#include <string>
#include <vector>

namespace onefold::ladder {

/// The length of the recorded times that are compared.
inline constexpr std::size_t compared_n = std::size_t{1} << 26;

struct published_ratio {
  std::string_view rung;
  double published_us;
  double published;               ///< times faster than the first version, as printed
  std::optional<double> ours_us;  ///< recorded; empty: not recorded
  std::optional<double> ours;     ///< times faster than the first version, recorded
};

/// The versions in the article's order. `time_of` gives a recorded time, or null.
std::vector<published_ratio>
published_ratios(const hardware_time* (*time_of)(std::string_view rung, element type,
                                                 std::size_t n) = recorded_time);

std::string to_text(const std::vector<published_ratio>& ratios);

}  // namespace onefold::ladder
