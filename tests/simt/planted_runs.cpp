// SPDX-License-Identifier: Apache-2.0
#include "tests/simt/planted_runs.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <numeric>

namespace onefold::simt::test {
namespace {

location planted(const std::string& context) {
  for (const std::string file :
       {"tests/simt/planted.cuh", "tests/simt/planted_order.cuh", "tests/simt/planted_async.cuh"}) {
    std::ifstream source(std::string(ONEFOLD_SOURCE_ROOT) + "/" + file);
    std::string line;
    for (unsigned number = 1; std::getline(source, line); ++number) {
      if (line.ends_with("// planted: " + context)) return {file, number};
    }
  }
  ADD_FAILURE() << "no line is marked '" << context << "'";
  return {};
}

std::string all_text(const std::vector<finding>& findings) {
  std::string text;
  for (const finding& f : findings) text += f.text() + "\n";
  return text;
}

}  // namespace

outcome run_planted(const std::string& kernel, schedule order, planted_launch with) {
  device gpu;
  std::vector<int> values(threads * blocks);
  std::iota(values.begin(), values.end(), 1);
  const int* in = gpu.memory().copy(std::span<const int>(values), "in");
  int* out = gpu.memory().allocate<int>(threads * blocks, "out");
  out[0] = 0;
  gpu.memory().mark_written(gpu.memory().offset_of(out), sizeof(int));
  const launch_config config{.grid = {with.grid},
                             .block = {threads},
                             .dynamic_shared_bytes = threads * sizeof(int),
                             .warp_lanes = with.warp,
                             .order = order,
                             .step_budget = with.step_budget,
                             .cluster = with.cluster};
  for (std::size_t i = 0; i < planted_kernel_count; ++i) {
    if (planted_kernels[i].name != kernel) continue;
    planted_kernels[i].launch(gpu, config, {in, values.size(), out});
    return {gpu.report(), std::vector<int>(out, out + threads * blocks)};
  }
  ADD_FAILURE() << "no kernel " << kernel;
  return {};
}

void expect_at(const std::string& kernel, defect kind, const std::set<std::string>& lines,
               planted_launch with) {
  std::set<location> places;
  for (const std::string& line : lines) places.insert(planted(line));
  for (const schedule order : all_schedules) {
    const outcome o = run_planted(kernel, order, with);
    std::set<location> named;
    for (const finding& f : o.findings) {
      if (f.kind != kind) continue;
      named.insert(f.place);
      if (!f.other.file.empty()) named.insert(f.other);
    }
    EXPECT_EQ(named, places) << kernel << ", warp " << with.warp << ", schedule "
                             << static_cast<int>(order) << "\n"
                             << all_text(o.findings);
  }
}

void expect_nothing(const std::string& kernel, planted_launch with) {
  for (const schedule order : all_schedules) {
    EXPECT_EQ(all_text(run_planted(kernel, order, with).findings), "")
        << kernel << ", warp " << with.warp << ", schedule " << static_cast<int>(order);
  }
}

}  // namespace onefold::simt::test
