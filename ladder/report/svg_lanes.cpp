// SPDX-License-Identifier: Apache-2.0
#include "ladder/report/figures.hpp"
#include "ladder/report/html.hpp"
#include "ladder/report/svg.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace onefold::ladder {
namespace {

constexpr std::size_t most_steps = 32;
constexpr int row = 18, bar = 12, head = 22, left = 92, right = 150;

/// Lanes are a few pixels wide, so that a block of 1024 still fits a wide screen.
int lane_width(std::size_t lanes) {
  return std::clamp(static_cast<int>(768 / std::max<std::size_t>(lanes, 1)), 1, 12);
}

void draw_lanes(drawing& d, const lane_step& step, int y, int width) {
  const std::size_t lanes = step.working.size();
  for (std::size_t lane = 0; lane < lanes;) {
    std::size_t end = lane + 1;
    while (end < lanes && step.working[end] == step.working[lane]) ++end;
    d.cell(left + static_cast<int>(lane) * width, y, static_cast<int>(end - lane) * width, bar,
           step.working[lane] ? "works" : "idle");
    lane = end;
  }
}

void draw_warps(drawing& d, std::size_t lanes, unsigned warp, int width, int height) {
  for (std::size_t lane = warp; lane < lanes; lane += warp) {
    const int x = left + static_cast<int>(lane) * width;
    d.line({x, head - 4}, {x, height}, "edge");
  }
}

std::string step_name(const lane_step& step) {
  return step.distance ? fmt::format("{}, s = {}", step.name, *step.distance) : step.name;
}

std::string cost(const lane_step& step) {
  if (step.wavefronts == 0) return "-";
  return fmt::format("{} ({}){}", step.wavefronts, step.ideal,
                     step.ways > 1 ? fmt::format(", {}-way", step.ways) : "");
}

}  // namespace

std::string lanes_figure(const page& p) {
  const auto& steps = p.drawing.steps;
  if (steps.empty()) return "";
  const std::size_t shown = std::min(steps.size(), most_steps);
  const std::size_t lanes = steps.front().working.size();
  const int width = lane_width(lanes);
  const int strip = width * static_cast<int>(lanes);
  const int height = head + row * static_cast<int>(shown);
  drawing d(left + strip + right, height + 6,
            fmt::format("{}: lanes of block 0 that store in each step", p.subject->name));
  d.words(0, 14, "step");
  d.words(left, 14, fmt::format("lanes 0 to {}", lanes - 1));
  d.words(left + strip + 12, 14, "wavefronts");
  for (std::size_t i = 0; i < shown; ++i) {
    const int y = head + row * static_cast<int>(i);
    d.words(0, y + 11, step_name(steps[i]));
    draw_lanes(d, steps[i], y, width);
    d.words(left + strip + 12, y + 11, cost(steps[i]));
  }
  draw_warps(d, lanes, p.mine.options.warp, width, height);
  const std::string more =
      steps.size() > shown ? fmt::format(" {} more steps follow.", steps.size() - shown) : "";
  return figure(
      anchor(p.subject->name) + "-lanes", d.markup(),
      "Lanes of block 0 that store in each step: strong is work, faint is idle, a line between "
      "warps. On the right the wavefronts that the step's loads from shared memory take, "
      "and in brackets how few would do." +
          more);
}

}  // namespace onefold::ladder
