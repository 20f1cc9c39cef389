// SPDX-License-Identifier: Apache-2.0
#include "ladder/report/figures.hpp"
#include "ladder/report/html.hpp"
#include "ladder/report/svg.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace onefold::ladder {
namespace {

constexpr int lane_step_px = 2, height = 110, left = 94, head = 26, foot = 18, gap = 12;
constexpr int panel_height = head + height + foot + gap;
constexpr int single_height = 30;  ///< of one access, in words

struct point {
  unsigned lane;
  std::size_t offset;
};

std::vector<point> points_of(const std::vector<drawn_request>& requests, unsigned warp_lanes) {
  std::vector<point> points;
  for (const drawn_request& r : requests) {
    for (unsigned lane = 0; lane < simt::max_warp_lanes; ++lane) {
      if ((r.addresses.lanes >> lane & 1) == 0) continue;
      points.push_back({r.warp * warp_lanes + lane, r.addresses.offset[lane]});
    }
  }
  return points;
}

/// One panel: lanes to the right, bytes from the start of the buffer upwards.
class panel {
 public:
  panel(drawing& d, int top, unsigned lanes, const std::vector<point>& points)
      : d_(d), top_(top + head), width_(lane_step_px * static_cast<int>(lanes)) {
    for (const point& at : points) {
      low_ = std::min(low_, at.offset);
      high_ = std::max(high_, at.offset);
    }
    high_ = std::max(high_, low_ + 1);
  }

  void frame(std::string_view title, unsigned lanes) {
    d_.words(left, top_ - 12, title);
    d_.box(left - 4, top_ - 4, width_ + 8, height + 8, "frame");
    d_.words(left - 8, top_ + 6, fmt::format("byte {}", grouped(high_)), "end");
    d_.words(left - 8, top_ + height, fmt::format("byte {}", grouped(low_)), "end");
    d_.words(left, top_ + height + foot, fmt::format("lane 0 to {}", lanes - 1));
  }

  void mark(const point& at, std::string_view style) {
    const double share = double(at.offset - low_) / double(high_ - low_);
    const int y = top_ + height - static_cast<int>(share * height);
    d_.cell(left + lane_step_px * static_cast<int>(at.lane), y - 1, 2, 3, style);
  }

 private:
  drawing& d_;
  int top_, width_;
  std::size_t low_ = ~std::size_t{0}, high_ = 0;
};

std::string_view verb(bool loads) {
  return loads ? "loads from" : "stores to";
}

std::string panel_title(std::string_view verb, const drawn_request& r) {
  return fmt::format("{} '{}'", verb, r.buffer);
}

unsigned lanes_of(const page& p) {
  unsigned warps = 1;
  for (const auto* list : {&p.drawing.first_loads, &p.drawing.first_stores}) {
    for (const drawn_request& r : *list) warps = std::max(warps, r.warp + 1);
  }
  return warps * p.outcome.options.warp;
}

}  // namespace

std::string scatter_figure(const page& p) {
  const auto& loads = p.drawing.first_loads;
  const auto& stores = p.drawing.first_stores;
  if (loads.empty() && stores.empty()) return "";
  const unsigned lanes = lanes_of(p);
  int panels = 0, single = 0;
  for (const auto* list : {&loads, &stores}) {
    const std::size_t points = points_of(*list, p.outcome.options.warp).size();
    panels += points > 1;
    single += points == 1;
  }
  drawing d(
      paper_width, panels * panel_height + single * single_height,
      fmt::format("{}: address of each lane's first access to global memory", p.subject->name));
  int top = 0;
  for (const auto* list : {&loads, &stores}) {
    if (list->empty()) continue;
    const std::vector<point> points = points_of(*list, p.outcome.options.warp);
    if (points.size() == 1) {
      d.words(0, top + single_height - gap,
              fmt::format("{}: lane {} alone, byte {}",
                          panel_title(verb(list == &loads), list->front()), points.front().lane,
                          grouped(points.front().offset)));
      top += single_height;
      continue;
    }
    panel one(d, top, lanes, points);
    one.frame(panel_title(verb(list == &loads), list->front()), lanes);
    for (const point& at : points) one.mark(at, list == &loads ? "works" : "extra");
    top += panel_height;
  }
  return figure(anchor(p.subject->name) + "-scatter", d.markup(),
                "Where the first access of each lane to global memory goes, for the first warps of "
                "block 0, in bytes from the start of the buffer. A gentle slope without steps is a "
                "request that shares its sectors.");
}

}  // namespace onefold::ladder
