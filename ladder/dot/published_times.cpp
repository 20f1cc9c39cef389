// SPDX-License-Identifier: Apache-2.0
#include "ladder/dot/published_times.hpp"

#include "ladder/dot/rungs.hpp"
#include "ladder/page/text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace onefold::ladder {
namespace {

/// "dot0", "Dot1", ...: the last character tells them apart.
char number_in_article(const rung& r) {
  return r.printed.front().step.back();
}

std::vector<rung> versions() {
  std::vector<rung> printed;
  for (const rung& r : all_rungs()) {
    if (!r.published && r.published_us > 0) printed.push_back(r);
  }
  std::ranges::sort(printed, {}, number_in_article);
  return printed;
}

std::string times(const std::optional<double>& ratio) {
  return ratio ? fmt::format("{:.2f} ×", *ratio) : "-";
}

std::string microseconds(const std::optional<double>& us) {
  return us ? fmt::format("{:.1f}", *us) : "-";
}

}  // namespace

std::vector<published_ratio>
published_ratios(const hardware_time* (*time_of)(std::string_view, element, std::size_t)) {
  const std::vector<rung> printed = versions();
  const auto ours = [&](const rung& r) { return time_of(r.name, usual_type(r), compared_n); };
  const hardware_time* first = ours(printed.front());
  std::vector<published_ratio> ratios;
  for (const rung& r : printed) {
    published_ratio line{
        r.name, r.published_us, printed.front().published_us / r.published_us, {}, {}};
    if (const hardware_time* time = ours(r)) {
      line.ours_us = time->median_us;
      if (first != nullptr) line.ours = first->median_us / time->median_us;
    }
    ratios.push_back(line);
  }
  return ratios;
}

std::string to_text(const std::vector<published_ratio>& ratios) {
  text_table table({{"version", align::left},
                    {"µs printed", align::right},
                    {"over the first", align::right},
                    {"µs " + recorded().machine, align::right},
                    {"over the first", align::right}});
  for (const published_ratio& r : ratios) {
    table.add({std::string(r.rung), fmt::format("{:.3f}", r.published_us), times(r.published),
               microseconds(r.ours_us), times(r.ours)});
  }
  return fmt::format("the article's times beside ours: float, {} elements; -: not recorded\n{}",
                     compared_n, table.text());
}

}  // namespace onefold::ladder
