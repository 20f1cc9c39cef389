// SPDX-License-Identifier: Apache-2.0
#include "ladder/page/climb_times.hpp"
#include "ladder/report/figures.hpp"
#include "ladder/report/html.hpp"
#include "ladder/report/svg.hpp"
#include "ladder/page/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace onefold::ladder {
namespace {

constexpr int column = 72, bar = 16, height = 220, left = 92, right = 64, head = 40, foot = 44;

struct series {
  std::string_view name, style;
  std::uint64_t (*count)(const simt::counts&);
};

constexpr std::array all_series = {
    series{"shared wavefronts", "works",
           [](const simt::counts& c) { return c.shared_wavefronts(); }},
    series{"warps at barriers", "extra", [](const simt::counts& c) { return c.barriers; }},
    series{"global sectors", "brought", [](const simt::counts& c) { return c.global_sectors(); }},
};

int decades(const std::vector<const page*>& rungs) {
  std::uint64_t most = 10;
  for (const page* p : rungs) {
    for (const series& s : all_series) most = std::max(most, s.count(p->mine.counts));
  }
  return static_cast<int>(std::ceil(std::log10(static_cast<double>(most))));
}

/// Zero has no place on a logarithmic axis: no bar.
int bar_height(std::uint64_t count, int decades) {
  if (count == 0) return 0;
  return std::max(2, static_cast<int>(height * std::log10(static_cast<double>(count)) / decades));
}

void draw_axes(drawing& d, int decades, int width, bool times) {
  for (int decade = 0; decade <= decades; ++decade) {
    const int y = head + height - height * decade / decades;
    d.line({left, y}, {left + width, y}, "grid");
    d.words(left - 8, y + 5, grouped(static_cast<std::uint64_t>(std::pow(10, decade))), "end");
  }
  for (int percent = 0; times && percent <= 100; percent += 25) {
    const int y = head + height - height * percent / 100;
    d.words(left + width + 8, y + 5, fmt::format("{}%", percent));
  }
}

void draw_legend(drawing& d, bool times) {
  int x = left;
  for (const series& s : all_series) {
    d.box(x, 4, 12, 12, s.style);
    d.words(x + 18, 15, s.name);
    x += 18 + words_width(s.name) + 18;
  }
  if (!times) return;
  d.line({x, 10}, {x + 24, 10}, "share");
  d.dot(x + 12, 10, "share");
  d.words(x + 32, 15, "GPU: share of plain reading");
}

void draw_bars(drawing& d, const page& p, int x, int decades) {
  int at = x + (column - bar * static_cast<int>(all_series.size())) / 2;
  for (const series& s : all_series) {
    const int tall = bar_height(s.count(p.mine.counts), decades);
    if (tall != 0) d.box(at, head + height - tall, bar, tall, s.style);
    at += bar;
  }
}

std::string short_name(std::string_view rung) {
  return std::string(rung.substr(rung.find('/') + 1));
}

/// The greatest length that every recorded rung of the ladder has.
std::size_t common_length(const std::vector<const page*>& rungs) {
  std::size_t length = 0;
  for (const page* p : rungs) {
    const auto largest = largest_recorded(*p->subject);
    if (largest) length = length == 0 ? *largest : std::min(length, *largest);
  }
  return length;
}

std::vector<std::pair<int, int>> shares(const std::vector<const page*>& rungs, std::size_t n) {
  std::vector<std::pair<int, int>> points;
  for (std::size_t i = 0; i < rungs.size(); ++i) {
    const auto time = recorded_climb(*rungs[i]->subject, n);
    if (!time) continue;
    const double share = std::min(time->share_of_ceiling, 1.0);
    points.emplace_back(left + column * static_cast<int>(i) + column / 2,
                        head + height - static_cast<int>(height * share));
  }
  return points;
}

std::string caption(const std::vector<const page*>& rungs, std::size_t n, bool times) {
  const std::string counts =
      fmt::format("Bars, left axis, logarithmic: counted by the executor, {}.",
                  launch_line(rungs.front()->mine.options));
  if (!times) return counts + " No times of these rungs were recorded.";
  return counts + fmt::format(" Line, right axis: throughput as a share of plain 16-byte reads of "
                              "as many bytes, n {}, recorded on {}.",
                              grouped(n), times_source());
}

}  // namespace

std::string climb_figure(std::string_view ladder, const std::vector<const page*>& rungs) {
  if (rungs.empty()) return "";
  const std::size_t n = common_length(rungs);
  const auto points = shares(rungs, n);
  const int width = column * static_cast<int>(rungs.size());
  const int most = decades(rungs);
  drawing d(std::max(left + width + right, 860), head + height + foot,
            fmt::format("The climb on two axes: {}", ladder));
  draw_axes(d, most, width, !points.empty());
  draw_legend(d, !points.empty());
  for (std::size_t i = 0; i < rungs.size(); ++i) {
    const int x = left + column * static_cast<int>(i);
    draw_bars(d, *rungs[i], x, most);
    d.words(x + column / 2, head + height + (i % 2 == 0 ? 18 : 36),
            short_name(rungs[i]->subject->name), "middle");
  }
  d.way(points, "halo");
  d.way(points, "share");
  for (const auto& [x, y] : points) d.dot(x, y, "share");
  return figure(fmt::format("climb-{}", ladder), d.markup(), caption(rungs, n, !points.empty()));
}

}  // namespace onefold::ladder
