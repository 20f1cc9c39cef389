// SPDX-License-Identifier: Apache-2.0
#include "ladder/page/strips.hpp"
#include "ladder/page/text.hpp"
#include "ladder/report/figures.hpp"
#include "ladder/report/html.hpp"
#include "ladder/report/svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace onefold::ladder {
namespace {

constexpr int left = 34, head = 32, gap = 20, line_height = 12, widest_column = 40;
constexpr std::size_t most_columns = 20;

/// The elements of a cell as lines of letters, or their number where letters do not do.
std::vector<std::string> lines_of_letters(const fold& f, int width) {
  const std::string word = letters(f.holds);
  const auto a_line = static_cast<std::size_t>(std::max(1, (width - 4) * 10 / 66));
  if (f.holds.empty()) return {"?"};
  if (word.size() > f.holds.size()) return {fmt::format("{}", f.holds.size()), "el."};
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < word.size(); at += a_line) lines.push_back(word.substr(at, a_line));
  return lines;
}

class tree_drawing {
 public:
  /// What the block leaves should hold so many elements.
  tree_drawing(const fold_tree& tree, std::size_t expected)
      : tree_(tree), expected_(expected), cells_(columns_of(tree)),
        width_(std::min(widest_column,
                        (paper_width - left) / std::max(1, static_cast<int>(cells_.size())))) {}

  bool fits() const { return cells_.size() <= most_columns; }

  std::string markup(std::string title) {
    const unsigned steps = tree_.folds.back().step + 1;
    std::vector<int> tops = {head};
    for (unsigned step = 0; step < steps; ++step) tops.push_back(tops.back() + height(step) + gap);
    drawing d(paper_width, tops.back() - gap + 4, std::move(title));
    draw_head(d);
    for (unsigned step = 0; step < steps; ++step) {
      d.begin_step(step);
      draw_step(d, step, tops[step]);
      d.end_step();
    }
    return d.markup();
  }

 private:
  int start(std::size_t column) const { return left + width_ * static_cast<int>(column); }
  int centre(std::size_t column) const { return start(column) + width_ / 2; }
  std::size_t column_of(const cell& c) const {
    return static_cast<std::size_t>(std::ranges::find(cells_, c) - cells_.begin());
  }

  int height_of(const fold& f) const {
    return 6 + line_height * static_cast<int>(lines_of_letters(f, width_).size());
  }

  int height(unsigned step) const {
    int most = 0;
    for (const fold& f : tree_.folds) {
      if (f.step == step) most = std::max(most, height_of(f));
    }
    return most;
  }

  void draw_head(drawing& d) {
    d.words(0, 26, "step");
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      d.words(centre(i), 26, fmt::format("{}", cells_[i].index), "middle");
      if (i != 0 && cells_[i].memory == cells_[i - 1].memory) continue;
      const std::string& memory = cells_[i].memory;
      const std::string name = memory == "shared" ? "shared memory" : memory;
      const bool at_end = start(i) + words_width(name) > paper_width;
      d.words(at_end ? start(i) + width_ : start(i), 12, name, at_end ? "end" : "");
    }
  }

  void draw_step(drawing& d, unsigned step, int y) {
    d.words(0, y + 14, fmt::format("{}", step));
    for (const fold& f : tree_.folds) {
      if (f.step != step) continue;
      if (interval_ && *interval_ != f.interval) {
        d.line({left, y - gap / 2}, {paper_width, y - gap / 2}, "barrier");
      }
      interval_ = f.interval;
      draw_fold(d, f, y);
    }
    for (const fold& f : tree_.folds) {
      if (f.step == step) bottom_[column_of(f.to)] = y + height_of(f);
    }
  }

  void draw_fold(drawing& d, const fold& f, int y) {
    const std::size_t to = column_of(f.to);
    for (const cell& c : f.from) {
      const std::size_t from = column_of(c);
      if (!bottom_.contains(from)) continue;
      d.line({centre(from), bottom_[from]}, {centre(to), y}, "branch");
    }
    const bool wrong = f.holds.empty() || (f.to.memory != "shared" && f.holds.size() < expected_);
    d.box(start(to) + 1, y, width_ - 2, height_of(f), wrong ? "extra" : "first");
    int baseline = y + line_height;
    for (const std::string& line : lines_of_letters(f, width_)) {
      d.words(centre(to), baseline, line, wrong ? "middle on-extra" : "middle on-first");
      baseline += line_height;
    }
  }

  const fold_tree& tree_;
  std::size_t expected_;
  std::vector<cell> cells_;
  int width_;
  std::map<std::size_t, int> bottom_;  ///< of the last box in a column
  std::optional<unsigned> interval_;   ///< of the last fold drawn
};

std::string one_tree(const page& p, const fold_tree& tree, std::string_view id,
                     std::size_t expected = 0) {
  if (tree.folds.empty()) return "";
  tree_drawing picture(tree, expected);
  if (!picture.fits()) return "";
  const std::string title = fmt::format("{}: which elements fold when", p.subject->name);
  std::string caption =
      fmt::format("Which elements fold when: block {} of {}. A letter is an element, a column a "
                  "place in memory, a row a step; a line across is a barrier of the block.",
                  tree.folds.front().block, launch_line(tree.options));
  if (expected != 0) {
    caption += fmt::format(" The block has {} elements; the other colour is where one is unknown "
                           "(?) or where too few arrive.",
                           expected);
  }
  return figure(fmt::format("{}-{}", anchor(p.subject->name), id), picture.markup(title), caption);
}

/// The elements that a block has to fold: those that a right kernel reads there.
std::size_t share_of_block(const page& p) {
  const grid_picture& g = p.pictures.grid;
  const std::size_t block = g.telling.folds.empty() ? 0 : g.telling.folds.front().block;
  const std::size_t share = std::size_t{g.options.block} * p.subject->items_per_lane;
  return std::min(share, g.options.n - std::min(g.options.n, block * share));
}

}  // namespace

std::string tree_figure(const page& p) {
  const grid_picture& g = p.pictures.grid;
  const bool defect = p.subject->published && !g.telling.folds.empty();
  const std::string telling = defect ? one_tree(p, g.telling, "tree", share_of_block(p)) : "";
  return telling.empty() ? one_tree(p, p.tree, "tree") : telling;
}

std::string eight_figure(const page& p) {
  return one_tree(p, p.pictures.eight, "eight");
}

}  // namespace onefold::ladder
