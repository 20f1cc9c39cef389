// SPDX-License-Identifier: Apache-2.0
#include "ladder/report/figures.hpp"
#include "ladder/report/html.hpp"
#include "ladder/report/svg.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace onefold::ladder {
namespace {

constexpr std::size_t most_steps = 32;
constexpr int left = 64, strip = 224, head = 20, gap = 7;

/// A warp is a row of lanes; rows get thin where a block has many warps.
int row_height(std::size_t warps) {
  return warps <= 4 ? 8 : warps <= 8 ? 5 : 3;
}

void draw_warp(drawing& d, const lane_step& step, std::size_t first, std::size_t lanes, int y,
               int tall) {
  const int width = strip / static_cast<int>(simt::max_warp_lanes);
  const std::size_t end_of_warp = std::min(first + lanes, step.working.size());
  for (std::size_t lane = first; lane < end_of_warp;) {
    std::size_t end = lane + 1;
    while (end < end_of_warp && step.working[end] == step.working[lane]) ++end;
    d.cell(left + static_cast<int>(lane - first) * width, y, static_cast<int>(end - lane) * width,
           tall - 1, step.working[lane] ? "works" : "idle");
    lane = end;
  }
}

std::string step_name(const lane_step& step) {
  return step.distance ? fmt::format("{}, s={}", step.name, *step.distance) : step.name;
}

std::string cost(const lane_step& step) {
  return step.wavefronts == 0 ? "-" : fmt::format("{} ({})", step.wavefronts, step.ideal);
}

}  // namespace

std::string lanes_figure(const page& p) {
  const auto& steps = p.drawing.steps;
  if (steps.empty()) return "";
  const std::size_t shown = std::min(steps.size(), most_steps);
  const std::size_t lanes = steps.front().working.size(), warp = p.outcome.options.warp;
  const std::size_t warps = (lanes + warp - 1) / warp;
  const int tall = row_height(warps);
  const int row = std::max(14, tall * static_cast<int>(warps)) + gap;
  drawing d(paper_width, head + row * static_cast<int>(shown),
            fmt::format("{}: lanes of block 0 that store in each step", p.subject->name));
  d.words(0, 12, "step");
  d.words(left, 12, fmt::format("{} lanes, {} a row", lanes, warp));
  d.words(paper_width, 12, "wavefronts", "end");
  for (std::size_t i = 0; i < shown; ++i) {
    const int y = head + row * static_cast<int>(i);
    d.begin_step(static_cast<unsigned>(i));
    d.words(0, y + 11, step_name(steps[i]));
    for (std::size_t w = 0; w < warps; ++w) {
      draw_warp(d, steps[i], w * warp, warp, y + tall * static_cast<int>(w), tall);
    }
    d.words(paper_width, y + 11, cost(steps[i]), "end");
    d.end_step();
  }
  const std::string more =
      steps.size() > shown ? fmt::format(" {} more steps follow.", steps.size() - shown) : "";
  return figure(anchor(p.subject->name) + "-lanes", d.markup(),
                "Lanes of block 0 that store in each step, a warp a row: strong is work, faint is "
                "idle. On the right the wavefronts that the step's loads from shared memory take, "
                "and in brackets how few would do." +
                    more);
}

}  // namespace onefold::ladder
