// SPDX-License-Identifier: Apache-2.0
#include "ladder/page/strips.hpp"
#include "ladder/report/figures.hpp"
#include "ladder/report/html.hpp"
#include "ladder/report/svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace onefold::ladder {
namespace {

constexpr int side = 20, left = 34, head = 32, gap = 14;
constexpr unsigned banks_a_row = 16;

struct bank_rows {
  std::vector<bank_column> columns;
  int rows;  ///< that the fullest bank needs

  int height() const { return head + side * rows; }
  bool uses(unsigned first) const {
    return std::any_of(columns.begin() + first, columns.begin() + first + banks_a_row,
                       [](const bank_column& c) { return !c.empty(); });
  }
};

/// Half of the banks, the second half below the first.
void draw_half(drawing& d, const bank_rows& all, unsigned first, int top) {
  d.words(0, top + head - 5, "bank");
  d.words(0, top + head + 14, "lane");
  for (unsigned bank = first; bank < first + banks_a_row; ++bank) {
    const int x = left + side * static_cast<int>(bank - first);
    d.words(x + side / 2, top + head - 5, fmt::format("{}", bank), "middle");
    const bank_column& column = all.columns[bank];
    for (std::size_t at = 0; at < column.size(); ++at) {
      const int y = top + head + side * static_cast<int>(at);
      d.box(x + 1, y + 1, side - 2, side - 2, at == 0 ? "first" : "extra");
      d.words(x + side / 2, y + 14, fmt::format("{}", column[at].second),
              at == 0 ? "middle on-first" : "middle on-extra");
    }
  }
}

}  // namespace

std::string banks_figure(const page& p) {
  const auto& worst = p.drawing.worst_shared;
  if (!worst) return "";
  bank_rows all{words_by_bank(worst->addresses), 1};
  for (const bank_column& column : all.columns) {
    all.rows = std::max(all.rows, static_cast<int>(column.size()));
  }
  const std::string request =
      fmt::format("{} of warp {} in step {}, at {}", worst->writes ? "Store" : "Load", worst->warp,
                  worst->step, simt::to_string(worst->place));
  std::vector<unsigned> halves;  // by their first bank; one without a lane has nothing to show
  for (const unsigned first : {0u, banks_a_row}) {
    if (all.uses(first)) halves.push_back(first);
  }
  drawing d(paper_width, static_cast<int>(halves.size()) * (all.height() + gap / 2),
            fmt::format("{}: lanes by bank of shared memory", p.subject->name));
  d.words(left, 12, "banks of shared memory");
  for (std::size_t i = 0; i < halves.size(); ++i) {
    draw_half(d, all, halves[i], static_cast<int>(i) * (all.height() + gap / 2));
  }
  return figure(anchor(p.subject->name) + "-banks", d.markup(),
                fmt::format("The worst request to shared memory. {}: {} wavefront{} where {} would "
                            "do. A bank gives one word a wavefront, so lanes below each other wait "
                            "for each other.",
                            request, worst->shared.wavefronts,
                            worst->shared.wavefronts == 1 ? "" : "s", worst->shared.phases));
}

}  // namespace onefold::ladder
