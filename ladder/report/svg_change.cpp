// SPDX-License-Identifier: Apache-2.0
#include "ladder/page/climb_times.hpp"
#include "ladder/report/figures.hpp"
#include "ladder/report/html.hpp"
#include "ladder/report/svg.hpp"
#include "ladder/rung/hardware.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace onefold::ladder {
namespace {

constexpr int left = 120, strip = 130, bar = 11, row = 34, head = 24;

/// A number of the rung before and of this one.
struct change {
  std::string name;
  double before, here;
  std::string before_text, here_text;
};

change counted(std::string name, std::uint64_t before, std::uint64_t here) {
  return {std::move(name), static_cast<double>(before), static_cast<double>(here), grouped(before),
          grouped(here)};
}

void add_counters(std::vector<change>& list, const hardware_counters& a,
                  const hardware_counters& b) {
  list.push_back(counted("instructions", a.instructions, b.instructions));
  list.push_back(counted("shared wavefronts",
                         a.load_wavefronts + a.store_wavefronts + a.shared_atomic_wavefronts,
                         b.load_wavefronts + b.store_wavefronts + b.shared_atomic_wavefronts));
  list.push_back(counted("global sectors",
                         a.global_load_sectors + a.global_store_sectors + a.global_atomic_sectors,
                         b.global_load_sectors + b.global_store_sectors + b.global_atomic_sectors));
}

std::vector<change> changes_of(const rung& r, const rung& before, const trial_options& options) {
  std::vector<change> list;
  const hardware_counters* a = recorded_counters(before.name, options);
  const hardware_counters* b = recorded_counters(r.name, options);
  if (a != nullptr && b != nullptr) add_counters(list, *a, *b);
  const auto then = recorded_climb(before, course_length), now = recorded_climb(r, course_length);
  if (then && now) {
    list.push_back({"time, µs", then->median_us, now->median_us,
                    fmt::format("{:.1f}", then->median_us), fmt::format("{:.1f}", now->median_us)});
  }
  return list;
}

void draw_bar(drawing& d, int y, double share, const std::string& text, std::string_view style) {
  d.box(left, y, std::max(1, static_cast<int>(strip * share)), bar, style);
  d.words(paper_width, y + bar - 1, text, "end");
}

}  // namespace

std::string change_figure(const page& p) {
  const rung& r = *p.subject;
  const rung* before = r.previous.empty() ? nullptr : find_rung(r.previous);
  if (before == nullptr) return "";
  const std::vector<change> list = changes_of(r, *before, p.outcome.options);
  if (list.empty()) return "";
  drawing d(paper_width, head + row * static_cast<int>(list.size()),
            fmt::format("{} against the rung before", r.name));
  d.box(0, 3, 11, 11, "brought");
  d.words(16, 13, before->name);
  const int here = 16 + words_width(before->name) + 20;
  d.box(here, 3, 11, 11, "works");
  d.words(here + 16, 13, r.name);
  for (std::size_t i = 0; i < list.size(); ++i) {
    const change& c = list[i];
    const int y = head + row * static_cast<int>(i);
    const double most = std::max({c.before, c.here, 1e-9});
    d.words(0, y + bar + 4, c.name);
    draw_bar(d, y, c.before / most, c.before_text, "brought");
    draw_bar(d, y + bar + 1, c.here / most, c.here_text, "works");
  }
  return figure(anchor(r.name) + "-change", d.markup(),
                fmt::format("What changes from {}: counters that {} gives for this launch, and "
                            "the time of {} {}, on {}.",
                            before->name, recorded().source, grouped(course_length), items_of(r),
                            recorded().machine));
}

}  // namespace onefold::ladder
