// SPDX-License-Identifier: Apache-2.0
#include "ladder/report/figures.hpp"
#include "ladder/report/html.hpp"
#include "ladder/page/strips.hpp"
#include "ladder/report/svg.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace onefold::ladder {
namespace {

constexpr int side = 26, left = 92, head = 40;

void draw_banks(drawing& d, const std::vector<bank_column>& columns) {
  for (unsigned bank = 0; bank < simt::banks; ++bank) {
    const int x = left + side * static_cast<int>(bank);
    d.words(x + side / 2, head - 6, fmt::format("{}", bank), "middle");
    for (std::size_t at = 0; at < columns[bank].size(); ++at) {
      const int y = head + side * static_cast<int>(at);
      d.box(x + 1, y + 1, side - 2, side - 2, at == 0 ? "first" : "extra");
      d.words(x + side / 2, y + 17, fmt::format("{}", columns[bank][at].second),
              at == 0 ? "middle on-first" : "middle on-extra");
    }
  }
}

}  // namespace

std::string banks_figure(const page& p) {
  const auto& worst = p.drawing.worst_shared;
  if (!worst) return "";
  const std::vector<bank_column> columns = words_by_bank(worst->addresses);
  std::size_t rows = 0;
  for (const bank_column& column : columns) rows = std::max(rows, column.size());
  const std::string what =
      fmt::format("{} of warp {} in step {}, at {}", worst->writes ? "Store" : "Load", worst->warp,
                  worst->step, simt::to_string(worst->place));
  drawing d(left + side * static_cast<int>(simt::banks) + 4,
            head + side * static_cast<int>(rows) + 4,
            fmt::format("{}: lanes by bank of shared memory", p.subject->name));
  d.words(left, 14, "banks of shared memory");
  d.words(0, head - 6, "bank");
  d.words(0, head + 17, "lane");
  draw_banks(d, columns);
  return figure(anchor(p.subject->name) + "-banks", d.markup(),
                fmt::format("The worst request to shared memory. {}: {} wavefront{} where {} would "
                            "do. A bank gives one word a wavefront, so lanes below each other wait "
                            "for each other.",
                            what, worst->shared.wavefronts,
                            worst->shared.wavefronts == 1 ? "" : "s", worst->shared.phases));
}

}  // namespace onefold::ladder
