// SPDX-License-Identifier: Apache-2.0
#include "ladder/page/text.hpp"
#include "ladder/report/figures.hpp"
#include "ladder/report/html.hpp"
#include "ladder/report/svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace onefold::ladder {
namespace {

constexpr int bar = 34, row = 92, head = 18;
constexpr std::size_t most_blocks = 8;

/// What one block leaves, and what it was made of.
struct block_box {
  std::string name;
  unsigned tone = 0;
  std::size_t holds = 0, read = 0;
  std::string value;   ///< instead of the number of elements; empty: that is shown
  bool wrong = false;  ///< the value
  bool lacks() const { return holds < read || wrong; }
};

struct launch_row {
  std::string title;
  std::vector<block_box> blocks;
};

bool is_result(const fold& f) {
  return f.to.memory != "ticket" && f.to.memory != "scratch" && f.to.memory != "workspace";
}

std::size_t distinct_reads(const grid_picture& g, unsigned launch, unsigned block) {
  std::set<std::size_t> elements;
  for (const lane_access& a : g.accesses) {
    const bool input = a.at.memory == "in" || a.at.memory == "a" || a.at.memory == "b";
    if (a.launch == launch && a.block == block && !a.writes && a.inside && input) {
      elements.insert(a.at.index);
    }
  }
  return elements.size();
}

std::string count_of(std::size_t number, std::string_view noun) {
  return fmt::format("{} {}{}", number, noun, number == 1 ? "" : "s");
}

launch_row first_launch(const grid_picture& g, const std::map<unsigned, const fold*>& results) {
  launch_row r{fmt::format("launch 1: {} read '{}'", count_of(g.grids.front(), "block"),
                           g.buffers.front().name),
               {}};
  for (const auto& [block, result] : results) {
    block_box box{fmt::format("block {}", block), block, result->holds.size(),
                  distinct_reads(g, 0, block),    "",    false};
    if (shows_by_value(g) && is_wrong_value(*result)) {
      box.value = fmt::format("{}, not {}", *result->value, *result->right);
      box.wrong = true;
    }
    r.blocks.push_back(std::move(box));
  }
  return r;
}

/// Different elements in what all blocks leave.
std::size_t held_by_all(const std::map<unsigned, const fold*>& results) {
  std::set<std::size_t> elements;
  for (const auto& [block, result] : results) {
    elements.insert(result->holds.begin(), result->holds.end());
  }
  return elements.size();
}

/// Who folds the partials: the last block, another launch, or the CPU. Empty: there is one.
std::vector<launch_row> later_rows(const page& p, const launch_row& first, std::size_t held) {
  const grid_picture& g = p.pictures.grid;
  const fold& last = g.results.back();
  const std::size_t n = g.options.n;
  const std::string partials = count_of(first.blocks.size(), "partial");
  if (p.subject->one_value && !p.subject->onto_identity && g.grids.front() > 1) {
    return {{fmt::format("still launch 1: the last block folds {}", partials),
             {{fmt::format("block {}", last.block), last.block, last.holds.size(), n, "", false}}}};
  }
  if (first.blocks.size() < 2 || p.subject->onto_identity) return {};
  if (last.launch != 0) {
    return {
        {fmt::format("launch 2: {} folds {}", count_of(g.grids[last.launch], "block"), partials),
         {{"block 0", 0, last.holds.size(), n, "", false}}}};
  }
  return {
      {fmt::format("no launch: the CPU folds {}", partials), {{"the CPU", 0, held, n, "", false}}}};
}

int width_of(const launch_row& r, const launch_row& widest) {
  const int most = paper_width / static_cast<int>(widest.blocks.size());
  return std::min(r.blocks.size() == 1 ? 2 * most : most, 110);
}

void draw_row(drawing& d, const launch_row& r, int width, int y, std::size_t n) {
  d.words(0, y - 6, r.title);
  for (std::size_t i = 0; i < r.blocks.size(); ++i) {
    const block_box& b = r.blocks[i];
    const int x = width * static_cast<int>(i), middle = x + width / 2;
    const bool narrow = width < words_width("block 0") + 4;
    const std::string on = b.lacks() ? "middle on-extra" : "middle on-tone";
    d.box(x, y, width - 2, bar, b.lacks() ? "extra" : fmt::format("tone-{}", b.tone % 4));
    d.words(middle, y + 14, narrow ? b.name.substr(b.name.find(' ') + 1) : b.name, on);
    const std::string held =
        narrow ? fmt::format("{}", b.holds) : fmt::format("{} of {}", b.holds, n);
    d.words(middle, y + 28, b.value.empty() ? held : b.value, on);
  }
}

std::string caption(const page& p, const std::vector<launch_row>& rows) {
  const grid_picture& g = p.pictures.grid;
  std::string text =
      fmt::format("All blocks and who folds what they leave: {}. ", launch_line(g.options));
  if (shows_by_value(g)) {
    return text + fmt::format("All {} elements arrive; in a box, the value that its result has, "
                              "and the right one. The answer is {}, not {}.",
                              g.options.n, g.answer, g.expected);
  }
  text += fmt::format("In a box, how many of the {} elements its result holds.", g.options.n);
  const auto lacks = [](const launch_row& r) {
    return std::ranges::any_of(r.blocks, &block_box::lacks);
  };
  if (lacks(rows.front())) {
    text += " A block in the other colour has lost elements that it had read.";
  } else if (lacks(rows.back())) {
    text += " The last box, in the other colour, lacks elements that no block has read.";
  }
  if (p.subject->published && g.answer != g.expected) {
    text += fmt::format(" The answer is {}, not {}.", g.answer, g.expected);
  }
  return text;
}

}  // namespace

std::string launches_figure(const page& p) {
  const grid_picture& g = p.pictures.grid;
  if (g.grids.empty() || is_image(*p.subject)) return "";
  std::map<unsigned, const fold*> results;
  const bool keeps_last = p.subject->onto_identity;
  for (const fold& f : g.results) {
    if (f.launch != 0 || !is_result(f)) continue;
    if (keeps_last || !results.contains(f.block)) results[f.block] = &f;
  }
  if (results.empty() || results.size() > most_blocks) return "";
  std::vector<launch_row> rows = {first_launch(g, results)};
  for (launch_row& later : later_rows(p, rows.front(), held_by_all(results)))
    rows.push_back(std::move(later));
  drawing d(paper_width, head + row * static_cast<int>(rows.size() - 1) + bar + 4,
            fmt::format("{}: blocks and launches", p.subject->name));
  const int width = width_of(rows.front(), rows.front());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const int y = head + row * static_cast<int>(i);
    d.begin_step(static_cast<unsigned>(i));
    for (std::size_t b = 0; i != 0 && b < rows.front().blocks.size(); ++b) {
      const int x = width * static_cast<int>(b) + width / 2;
      d.line({x, y - row + bar}, {width_of(rows[i], rows.front()) / 2, y - 20}, "branch");
    }
    draw_row(d, rows[i], width_of(rows[i], rows.front()), y, g.options.n);
    d.end_step();
  }
  return figure(anchor(p.subject->name) + "-launches", d.markup(), caption(p, rows));
}

}  // namespace onefold::ladder
