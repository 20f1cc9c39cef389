// SPDX-License-Identifier: Apache-2.0
#include "ladder/page/text.hpp"
#include "ladder/report/figures.hpp"
#include "ladder/report/html.hpp"
#include "ladder/report/svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace onefold::ladder {
namespace {

constexpr std::size_t words_shown = 64;
constexpr int side = 5, left = 40, row = 34, bar = 12, head = 20;

/// Steps of the tree among the first words of shared memory, one row each.
struct step_row {
  std::vector<const fold*> folds;
  std::size_t distance = 0;
  unsigned interval = 0;
};

bool is_shown(const fold& f) {
  return f.to.memory == "shared" && f.to.index < words_shown;
}

std::vector<step_row> rows_of(const fold_tree& tree) {
  std::vector<step_row> rows;
  std::optional<unsigned> step;
  for (const fold& f : tree.folds) {
    if (!is_shown(f)) continue;
    if (step != f.step) rows.emplace_back();
    step = f.step;
    rows.back().interval = f.interval;
    rows.back().folds.push_back(&f);
    for (const cell& c : f.from) {
      if (c.memory == "shared" && c.index > f.to.index) {
        rows.back().distance = std::max(rows.back().distance, c.index - f.to.index);
      }
    }
  }
  // Rows above the last two warps are those of the block's barriers.
  const auto first = std::ranges::find_if(
      rows, [](const step_row& r) { return r.distance != 0 && r.distance < words_shown; });
  if (first - rows.begin() > 1) rows.erase(rows.begin(), first - 1);
  return rows;
}

/// How many elements the fullest word of the first row holds; the number doubles in each step.
std::size_t most_held(const step_row& first) {
  std::size_t most = 1;
  for (const fold* f : first.folds) most = std::max(most, f->holds.size());
  return most;
}

int x_of(std::size_t word) {
  return left + side * static_cast<int>(word);
}

void draw_links(drawing& d, const step_row& r, int y) {
  for (const fold* f : r.folds) {
    for (const cell& c : f->from) {
      if (c.memory != "shared" || c.index == f->to.index || c.index >= words_shown) continue;
      d.line({x_of(c.index) + side / 2, y - row + bar}, {x_of(f->to.index) + side / 2, y}, "link");
    }
  }
}

/// Returns how many lanes of the tree hold less than they should.
unsigned draw_row(drawing& d, const step_row& r, std::size_t expected, int y) {
  unsigned lacking = 0;
  d.box(left, y, side * static_cast<int>(words_shown), bar, "idle");
  for (const fold* f : r.folds) {
    const bool in_tree = r.distance == 0 || f->to.index < r.distance;
    const bool lacks = in_tree && f->holds.size() < expected;
    lacking += lacks;
    d.box(x_of(f->to.index), y, side - 1, bar, lacks ? "extra" : in_tree ? "works" : "brought");
  }
  return lacking;
}

std::string caption(const fold_tree& tree, unsigned lacking) {
  std::string text = fmt::format(
      "The steps of the last warp, one by one: the first {} words of shared memory, block 0 of {}. "
      "Strong words are stored in this step, each from the two words that its lines lead to. A "
      "line across is a barrier of the block; between the other rows there is none.",
      words_shown, launch_line(tree.options));
  if (lacking != 0) {
    text += fmt::format(" In {} places a lane has folded a word before its owner had stored it: "
                        "these words hold too few elements (the other colour).",
                        lacking);
  }
  return text;
}

}  // namespace

std::string last_warp_figure(const page& p) {
  const fold_tree& tree = p.pictures.two_warps;
  const std::vector<step_row> rows = rows_of(tree);
  if (rows.size() < 2) return "";
  drawing d(paper_width, head + row * static_cast<int>(rows.size()) - row + bar + 8,
            fmt::format("{}: the steps of the last warp", p.subject->name));
  d.words(0, 12, "step");
  d.words(left, 12, fmt::format("word 0 to {} of shared memory", words_shown - 1));
  std::size_t expected = most_held(rows.front());
  unsigned lacking = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const int y = head + row * static_cast<int>(i);
    if (i != 0) expected *= 2;
    d.begin_step(static_cast<unsigned>(i));
    if (i != 0) draw_links(d, rows[i], y);
    if (i != 0 && rows[i].interval != rows[i - 1].interval) {
      const int between = y - (row - bar) / 2;
      d.line({left, between}, {paper_width, between}, "barrier");
    }
    d.words(0, y + 10, rows[i].distance == 0 ? "load" : fmt::format("s={}", rows[i].distance));
    lacking += draw_row(d, rows[i], expected, y);
    d.end_step();
  }
  return figure(anchor(p.subject->name) + "-last-warp", d.markup(), caption(tree, lacking));
}

}  // namespace onefold::ladder
