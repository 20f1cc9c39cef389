// SPDX-License-Identifier: Apache-2.0
#include "ladder/page/climb_times.hpp"
#include "ladder/page/text.hpp"
#include "ladder/report/html.hpp"
#include "ladder/report/report.hpp"
#include "ladder/report/svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace onefold::ladder {
namespace {

using pages_of = std::vector<const page*>;

constexpr int left = 114, strip = 160, thin = 6, row = 26, head = 28;

struct series {
  std::string_view name, style;
  std::uint64_t (*count)(const simt::counts&);
};

constexpr std::array all_series = {
    series{"wavefronts", "works", [](const simt::counts& c) { return c.shared_wavefronts(); }},
    series{"barriers", "extra", [](const simt::counts& c) { return c.barriers; }},
    series{"sectors", "brought", [](const simt::counts& c) { return c.global_sectors(); }},
};

std::string short_name(const page& p) {
  const std::string_view name = p.subject->name;
  return std::string(name.substr(name.find('/') + 1));
}

int decades(const pages_of& list) {
  std::uint64_t most = 10;
  for (const page* p : list) {
    for (const series& s : all_series) most = std::max(most, s.count(p->outcome.counts));
  }
  return static_cast<int>(std::ceil(std::log10(static_cast<double>(most))));
}

/// Where no rung has any, the legend leaves it out.
bool is_zero(const series& s, const pages_of& list) {
  return std::ranges::all_of(list, [&s](const page* p) { return s.count(p->outcome.counts) == 0; });
}

/// Zero has no place on a logarithmic axis: no bar.
int bar_length(std::uint64_t count, int decades, int room) {
  if (count == 0) return 0;
  return std::max(2, static_cast<int>(room * std::log10(static_cast<double>(count)) / decades));
}

std::string counts_figure(std::string_view ladder, const pages_of& list) {
  pages_of counted;
  std::ranges::copy_if(list, std::back_inserter(counted),
                       [](const page* p) { return p->subject->under_executor(); });
  if (counted.empty()) return "";
  const int room = paper_width - left - 4, most = decades(counted);
  const int bottom = head + row * static_cast<int>(counted.size());
  drawing d(paper_width, bottom + 18, fmt::format("The counts of the {} ladder", ladder));
  int x = 0;
  for (const series& s : all_series) {
    if (is_zero(s, counted)) continue;
    d.box(x, 3, 11, 11, s.style);
    d.words(x + 16, 13, s.name);
    x += 30 + words_width(s.name);
  }
  for (int decade = 0; decade <= most; decade += 3) {
    const int at = left + room * decade / most;
    d.line({at, head - 6}, {at, bottom}, "grid");
    d.words(at, bottom + 13, grouped(static_cast<std::uint64_t>(std::pow(10, decade))),
            decade == 0             ? ""
            : at > paper_width - 30 ? "end"
                                    : "middle");
  }
  for (std::size_t i = 0; i < counted.size(); ++i) {
    int y = head + row * static_cast<int>(i);
    d.words(left - 6, y + 13, short_name(*counted[i]), "end");
    for (const series& s : all_series) {
      const int length = bar_length(s.count(counted[i]->outcome.counts), most, room);
      if (length != 0) d.box(left, y, length, thin, s.style);
      y += thin;
    }
  }
  return figure(fmt::format("climb-{}", ladder), d.markup(),
                fmt::format("What the executor counts, on a logarithmic axis: {}.",
                            launch_line(counted.front()->outcome.options)));
}

std::string times_figure(std::string_view id, std::string_view ladder, const pages_of& list) {
  struct bar {
    std::string name;
    climb_time time;
  };
  std::vector<bar> bars;
  for (const page* p : list) {
    if (const auto time = recorded_climb(*p->subject, course_length)) {
      bars.push_back({short_name(*p), *time});
    }
  }
  if (bars.empty()) return "";
  constexpr int bar_row = 20;
  drawing d(paper_width, head + bar_row * static_cast<int>(bars.size()) + 4,
            fmt::format("The times of the {} ladder", ladder));
  d.words(left, 13, "share of plain reading");
  d.words(paper_width, 13, "µs", "end");
  for (int quarter = 0; quarter <= 4; ++quarter) {
    const int at = left + strip * quarter / 4;
    d.line({at, head - 8}, {at, head + bar_row * static_cast<int>(bars.size())}, "grid");
  }
  for (std::size_t i = 0; i < bars.size(); ++i) {
    const int y = head + bar_row * static_cast<int>(i);
    const double share = std::min(1.0, bars[i].time.share_of_ceiling);
    d.words(left - 6, y + 11, bars[i].name, "end");
    d.box(left, y, std::max(2, static_cast<int>(strip * share)), 14, "works");
    d.words(left + strip + 6, y + 11, fmt::format("{:.0f}%", 100 * bars[i].time.share_of_ceiling));
    d.words(paper_width, y + 11, fmt::format("{:.1f}", bars[i].time.median_us), "end");
  }
  return figure(id, d.markup(),
                fmt::format("Throughput as a share of plain 16-byte reads of as many bytes, and "
                            "the time in microseconds: {} {}, recorded on {}.",
                            grouped(course_length), items_of(*list.front()->subject),
                            times_source()));
}

std::array<std::uint64_t, 5> climb_counts(const simt::counts& c) {
  return {c.divergent_branches, c.shared_wavefronts(), c.shared_conflicts(), c.global_sectors(),
          c.barriers};
}

std::vector<std::string> climb_row(const page& p) {
  const bool counted = p.subject->under_executor();
  std::vector<std::string> cells = {link_to(p.subject->name), escaped(p.subject->title)};
  for (const std::uint64_t count : climb_counts(p.outcome.counts)) {
    cells.push_back(counted ? grouped(count) : "-");
  }
  const auto time = recorded_climb(*p.subject, course_length);
  cells.push_back(time ? fmt::format("{:.1f}", time->median_us) : "-");
  cells.push_back(time ? fmt::format("{:.0f}%", 100 * time->share_of_ceiling) : "-");
  cells.push_back(counted ? escaped(p.outcome.verdict()) : "on a GPU alone");
  return cells;
}

std::string climb_table(std::string_view ladder, const pages_of& list) {
  const rung& any = *list.front()->subject;
  html_table table(fmt::format("The {} ladder. Counts: the executor, {}. Times: {}, {} {}; share: "
                               "of plain 16-byte reads of as many bytes.",
                               ladder, launch_line(list.front()->outcome.options), times_source(),
                               grouped(course_length), items_of(any)),
                   {{"rung"},
                    {"what it is"},
                    {"divergent branches", true},
                    {"shared wavefronts", true},
                    {"conflicts", true},
                    {"global sectors", true},
                    {"warps at barriers", true},
                    {"GPU µs", true},
                    {"share", true},
                    {"verdict"}});
  for (const page* p : list) table.add(climb_row(*p));
  return table.markup();
}

}  // namespace

std::string climb_body(const pages_of& list, std::string_view ladder) {
  return tag("div", R"(class="figures")",
             times_figure(fmt::format("times-{}", ladder), ladder, list) +
                 counts_figure(ladder, list)) +
         "\n" + tag("div", R"(class="climb")", climb_table(ladder, list)) + "\n";
}

std::string climb_overview(const pages_of& list, std::string_view ladder) {
  return times_figure("start-times", ladder, list);
}

}  // namespace onefold::ladder
