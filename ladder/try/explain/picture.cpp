// SPDX-License-Identifier: Apache-2.0
#include "ladder/try/explain/explain.hpp"

#include "ladder/try/coverage/coverage.hpp"

#include <fmt/format.h>

namespace onefold::ladder::learner {
namespace {

constexpr unsigned drawn_lanes = 8;
constexpr unsigned most_drawn = 16;

/// Launches short enough to draw each element.
std::vector<trial_launch> short_launches(const trial_setup& t, const session_plan& plan,
                                         const std::optional<blame>& wrong) {
  std::vector<trial_launch> list;
  const auto add = [&](const geometry& shape, unsigned n) {
    const try_shape data{n};
    list.push_back(
        {data, simt::schedule::forward, input_kind::random, shape.grid_at(data), shape.block});
  };
  if (!other_blocks(plan, t).empty() && t.takes_length()) {
    const geometry eight = t.shape.with_block(drawn_lanes);
    for (const unsigned n : {drawn_lanes, 2 * drawn_lanes, drawn_lanes - 1}) add(eight, n);
  }
  if (t.shape.block.volume() <= most_drawn && t.takes_length()) add(t.shape, t.shape.block.x);
  if (wrong && wrong->launch.data.volume() <= most_drawn) {
    list.push_back(wrong->launch);
    list.back().together = 1;
  }
  return list;
}

std::string drawn(trials& all, const session_plan& plan, const trial_launch& launch) {
  const trial_setup& t = all.setup();
  const auto drawing = plan.draw(to_string(t.output().type), to_string(t.op));
  if (drawing == nullptr) return "";
  const std::size_t n = launch.data.volume(), blocks = launch.grid.volume();
  numbers values;
  for (std::size_t i = 0; i < n; ++i) values.push_back(static_cast<number>(i + 1));
  trial_launch lettered = launch;
  lettered.elements = &values;
  const try_run run = all.run(lettered, &drawing->observer());
  return drawing->svg(std::min<std::size_t>(n, (n + blocks - 1) / blocks),
                      fmt::format("{}: which elements fold when; n {}, block {}, {}",
                                  plan.kernel.name, n, to_string(launch.block),
                                  run.answer_right
                                      ? "right"
                                      : fmt::format("the {} of 1, 2, ... is {}, not {}",
                                                    to_string(t.op), run.answer, run.expected)));
}

}  // namespace

std::string picture_of(trials& all, const session_plan& plan, const std::optional<blame>& wrong) {
  const trial_setup& t = all.setup();
  const bool plain = t.expectation == expectation::fold && !t.of_records() && !t.in_place() &&
                     t.input().type == t.output().type && t.input().lanes == 1;
  if (!plan.draw || !plain) return "";
  std::string right;
  for (const trial_launch& launch : short_launches(t, plan, wrong)) {
    trials once(t);
    const bool is_right = once.run(launch).answer_right;
    if (is_right && !right.empty()) continue;
    const std::string svg = drawn(all, plan, launch);
    if (svg.empty()) continue;
    if (is_right == !wrong) return svg;
    if (right.empty()) right = svg;
  }
  return right;
}

}  // namespace onefold::ladder::learner
