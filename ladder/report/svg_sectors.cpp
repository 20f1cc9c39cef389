// SPDX-License-Identifier: Apache-2.0
#include "ladder/page/strips.hpp"
#include "ladder/report/figures.hpp"
#include "ladder/report/html.hpp"
#include "ladder/report/svg.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace onefold::ladder {
namespace {

constexpr std::size_t most_lines = 16;
constexpr int byte = 2, row = 20, bar = 13, left = 36, head = 36;

void draw_line(drawing& d, const touched_line& line, int y) {
  for (unsigned sector = 0; sector < simt::line_bytes / simt::sector_bytes; ++sector) {
    const int x = left + byte * static_cast<int>(sector * simt::sector_bytes);
    d.cell(x, y, byte * static_cast<int>(simt::sector_bytes), bar,
           line.sector_touched(sector) ? "brought" : "idle");
  }
  for (unsigned at = 0; at < simt::line_bytes;) {
    unsigned end = at + 1;
    while (end < simt::line_bytes && line.wanted[end] == line.wanted[at]) ++end;
    if (line.wanted[at]) {
      d.box(left + byte * static_cast<int>(at), y, byte * static_cast<int>(end - at), bar, "works");
    }
    at = end;
  }
}

unsigned sectors_of(const touched_line& line) {
  unsigned count = 0;
  for (unsigned sector = 0; sector < 4; ++sector) count += line.sector_touched(sector);
  return count;
}

std::string sentence(const drawn_request& r) {
  return fmt::format(
      "{} of warp {} in step {}, at {}: {} sector{} of '{}'; its bytes would fit {}.",
      r.writes ? "Store" : "Load", r.warp, r.step, simt::to_string(r.place), r.global.sectors,
      r.global.sectors == 1 ? "" : "s", r.buffer, r.ideal_sectors);
}

}  // namespace

std::string sectors_figure(const page& p) {
  const auto& worst = p.drawing.worst_global;
  if (!worst) return "";
  const std::vector<touched_line> lines = lines_of(worst->addresses);
  const std::size_t shown = std::min(lines.size(), most_lines);
  const int height = head + row * static_cast<int>(shown);
  const int strip = byte * static_cast<int>(simt::line_bytes);
  drawing d(paper_width, height + 4,
            fmt::format("{}: bytes and sectors of one request", p.subject->name));
  d.words(0, 12, "a row: a line of 128 bytes, four sectors of 32");
  d.words(0, 30, "line");
  d.words(left + strip + 5, 30, "sectors");
  for (std::size_t i = 0; i < shown; ++i) {
    const int y = head + row * static_cast<int>(i);
    d.words(0, y + 11, fmt::format("{}", lines[i].number));
    draw_line(d, lines[i], y);
    d.words(left + strip + 5, y + 11,
            fmt::format("{}/4 {:>3} B", sectors_of(lines[i]), lines[i].wanted_bytes()));
  }
  for (int sector = 0; sector <= 4; ++sector) {
    const int x = left + sector * strip / 4;
    d.line({x, head - 4}, {x, height}, "edge");
  }
  const std::string more =
      lines.size() > shown ? fmt::format(" {} more lines follow.", lines.size() - shown) : "";
  return figure(
      anchor(p.subject->name) + "-sectors", d.markup(),
      "The request to global memory that is furthest from the fewest sectors. " + sentence(*worst) +
          " Strong bytes were asked for; fainter ones come along with their sector; blank "
          "sectors stay. On the right, sectors and bytes asked for." +
          more);
}

}  // namespace onefold::ladder
