// SPDX-License-Identifier: Apache-2.0
#pragma once
// Runs the planted kernels and holds what is reported against the marked lines.

#include "simt/device.hpp"
#include "simt/schedules.hpp"
#include "tests/simt/planted.hpp"

#include <set>

namespace onefold::simt::test {

inline constexpr unsigned threads = 64;
inline constexpr unsigned blocks = 2;

struct outcome {
  std::vector<finding> findings;
  std::vector<int> out;
};

struct planted_launch {
  unsigned grid = blocks;
  unsigned warp = max_warp_lanes;
  std::uint64_t step_budget = 1u << 16;
  unsigned cluster = 1;
};

/// With 1, 2, ... in `in`; of `out` only the first word holds a value, zero.
outcome run_planted(const std::string& kernel, schedule order, planted_launch with = {});

/// The findings of that kind are on exactly these lines, under every schedule. A race may also
/// let a lane read too early what another has yet to write: other kinds are not looked at.
void expect_at(const std::string& kernel, defect kind, const std::set<std::string>& lines,
               planted_launch with = {});

void expect_nothing(const std::string& kernel, planted_launch with = {.grid = 1});

}  // namespace onefold::simt::test
