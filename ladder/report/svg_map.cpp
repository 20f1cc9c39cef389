// SPDX-License-Identifier: Apache-2.0
#include "ladder/page/text.hpp"
#include "ladder/report/figures.hpp"
#include "ladder/report/html.hpp"
#include "ladder/report/svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace onefold::ladder {
namespace {

constexpr int left = 34, row = 30, bar = 27, legend_row = 18;
constexpr unsigned tones = 4;
constexpr std::size_t most_elements = 256, most_past_the_end = 32;

/// An element of the drawn buffer and who accesses it, in the order of the kernel.
using access_list = std::vector<const lane_access*>;

struct element_map {
  std::string buffer;
  bool writes;
  std::size_t elements = 0;  ///< of the buffer
  std::size_t first = 0;     ///< drawn: all, or the end of a long one
  std::map<std::size_t, access_list> at;

  std::size_t end() const { return std::max(elements, at.empty() ? 0 : at.rbegin()->first + 1); }
};

/// The buffer that the first launch reads, or writes, most.
std::string busiest(const grid_picture& g, bool writes) {
  std::map<std::string, std::size_t> counts;
  for (const lane_access& a : g.accesses)
    counts[a.at.memory] += a.launch == 0 && a.writes == writes;
  std::string most;
  for (const buffer_size& b : g.buffers) {
    if (counts[b.name] > counts[most]) most = b.name;
  }
  return most;
}

element_map map_of(const grid_picture& g, const std::string& buffer, bool writes,
                   std::size_t wrap) {
  element_map m{buffer, writes, 0, 0, {}};
  for (const buffer_size& b : g.buffers) {
    if (b.name == buffer) m.elements = b.elements;
  }
  if (m.elements > most_elements) m.first = (m.elements - wrap) / wrap * wrap;
  for (const lane_access& a : g.accesses) {
    if (a.launch != 0 || a.writes != writes || a.at.memory != buffer) continue;
    if (a.at.index < m.first || a.at.index >= m.elements + most_past_the_end) continue;
    m.at[a.at.index].push_back(&a);
  }
  return m;
}

/// Elements in a row: those of an image, or as many as the numbers of the lanes have room for.
std::size_t elements_a_row(const grid_picture& g, bool image_row) {
  if (image_row) return g.options.width;
  const auto wide = [](const lane_access& a) { return a.thread >= 10 || a.round >= 10; };
  return std::ranges::any_of(g.accesses, wide) || g.options.n <= 64 ? 16 : 32;
}

class map_drawing {
 public:
  map_drawing(const element_map& m, unsigned blocks, std::size_t wrap)
      : map_(m), blocks_(blocks), wrap_(wrap), side_((paper_width - left) / static_cast<int>(wrap)),
        head_(12 + legend_row * static_cast<int>((std::min(blocks, tones) + 3) / 4)) {}

  std::string markup(std::string title) {
    const std::size_t rows = (map_.end() - map_.first + wrap_ - 1) / wrap_;
    drawing d(paper_width, head_ + row * static_cast<int>(rows) + 2, std::move(title));
    draw_legend(d);
    for (std::size_t i = map_.first; i < map_.end(); ++i) {
      const auto [x, y] = place(i);
      if (x == left) d.words(0, y + 12, fmt::format("{}", i));
      d.cell(x, y, side_ - 1, bar, "idle");
    }
    for (unsigned round = 0; round <= last_round(); ++round) {
      d.begin_step(round);
      for (const auto& [index, list] : map_.at) {
        if (list.back()->round == round) draw_element(d, index, list);
      }
      d.end_step();
    }
    draw_end(d);
    return d.markup();
  }

 private:
  std::pair<int, int> place(std::size_t index) const {
    const std::size_t at = index - map_.first;
    return {left + side_ * static_cast<int>(at % wrap_),
            head_ + row * static_cast<int>(at / wrap_)};
  }

  unsigned last_round() const {
    unsigned last = 0;
    for (const auto& [index, list] : map_.at) last = std::max(last, list.back()->round);
    return last;
  }

  void draw_legend(drawing& d) const {
    for (unsigned b = 0; b < std::min(blocks_, tones); ++b) {
      const int x = 88 * static_cast<int>(b) + 2;
      d.box(x, 2, 12, 12, fmt::format("tone-{}", b));
      std::string name = fmt::format("block {}", b);
      if (blocks_ > tones + b) name += fmt::format(", {}", b + tones);
      d.words(x + 16, 12, name);
    }
  }

  void draw_element(drawing& d, std::size_t index, const access_list& list) const {
    const auto [x, y] = place(index);
    const lane_access& first = *list.front();
    const bool wrong = index >= map_.elements || list.size() > 1;
    const std::string style = wrong ? "extra" : fmt::format("tone-{}", first.block % tones);
    std::string on = wrong ? "middle on-extra" : "middle on-tone";
    if (first.thread >= 100) on += " small";
    d.box(x, y, side_ - 1, bar, style);
    const bool twice = list.size() > 1 && index < map_.elements;
    d.words(x + side_ / 2, y + 11,
            twice ? fmt::format("{}x", list.size()) : fmt::format("{}", first.thread), on);
    if (!twice)
      d.words(x + side_ / 2, y + 23, fmt::format("{}", first.round),
              first.thread >= 100 ? on : on + " small");
  }

  /// Where the buffer ends, if something is drawn behind it.
  void draw_end(drawing& d) const {
    if (map_.end() <= map_.elements) return;
    const auto [x, y] = place(map_.elements);
    d.line({x, y - 2}, {x, y + bar + 2}, "end-of-buffer");
  }

  const element_map& map_;
  unsigned blocks_;
  std::size_t wrap_;
  int side_, head_;
};

std::string caption(const page& p, const element_map& m) {
  const grid_picture& g = p.pictures.grid;
  std::size_t past = 0, twice = 0, once = 0;
  for (const auto& [index, list] : m.at) {
    past += index >= m.elements;
    twice += index < m.elements && list.size() > 1;
    once += index < m.elements;
  }
  std::string text = fmt::format(
      "Which lane {} which element of '{}', and when: the upper number is the lane in its block, "
      "the lower one counts the lane's accesses from 0. {}, {} block{}.",
      m.writes ? "stores to" : "reads", m.buffer, launch_line(g.options), g.grids.front(),
      g.grids.front() == 1 ? "" : "s");
  if (m.first != 0) text += " Only the end of the buffer is drawn.";
  if (past != 0) text += fmt::format(" Behind the thick line, past the end: {}.", past);
  if (twice != 0) text += fmt::format(" More than once (2x, 3x, ...): {} elements.", twice);
  const std::size_t never = m.elements - m.first - once;
  if (never != 0) text += fmt::format(" Never (left empty): {}.", never);
  return text;
}

std::string one_map(const page& p, bool writes) {
  const grid_picture& g = p.pictures.grid;
  const std::string buffer = busiest(g, writes);
  if (buffer.empty()) return "";
  const std::size_t wrap = elements_a_row(g, is_image(*p.subject));
  if (wrap == 0 || wrap > 32) return "";
  const element_map m = map_of(g, buffer, writes, wrap);
  if (m.at.empty() || m.at.size() > most_elements) return "";
  const std::string title = fmt::format("{}: which lane {} which element", p.subject->name,
                                        writes ? "stores to" : "reads");
  return figure(anchor(p.subject->name) + (writes ? "-stores" : "-map"),
                map_drawing(m, g.grids.front(), wrap).markup(title), caption(p, m));
}

}  // namespace

std::string map_figure(const page& p) {
  if (p.pictures.grid.grids.empty()) return "";
  const bool stores = p.subject->kind == work::transpose;
  return one_map(p, false) + (stores ? one_map(p, true) : "");
}

}  // namespace onefold::ladder
