// SPDX-License-Identifier: Apache-2.0
#include "ladder/page/strips.hpp"
#include "ladder/report/figures.hpp"
#include "ladder/report/html.hpp"
#include "ladder/report/svg.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace onefold::ladder {
namespace {

constexpr int side = 20, left = 34, head = 32, gap = 14;
constexpr unsigned banks_a_row = 16;

struct bank_rows {
  std::vector<bank_column> columns;
  int rows;  ///< that the fullest bank needs

  int height() const { return head + side * rows; }
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
  const std::string what =
      fmt::format("{} of warp {} in step {}, at {}", worst->writes ? "Store" : "Load", worst->warp,
                  worst->step, simt::to_string(worst->place));
  drawing d(paper_width, 2 * all.height() + gap,
            fmt::format("{}: lanes by bank of shared memory", p.subject->name));
  d.words(left, 12, "banks of shared memory");
  draw_half(d, all, 0, 0);
  draw_half(d, all, banks_a_row, all.height() + gap / 2);
  return figure(anchor(p.subject->name) + "-banks", d.markup(),
                fmt::format("The worst request to shared memory. {}: {} wavefront{} where {} would "
                            "do. A bank gives one word a wavefront, so lanes below each other wait "
                            "for each other.",
                            what, worst->shared.wavefronts,
                            worst->shared.wavefronts == 1 ? "" : "s", worst->shared.phases));
}

}  // namespace onefold::ladder
