// SPDX-License-Identifier: Apache-2.0
#include "ladder/report/figures.hpp"
#include "ladder/report/html.hpp"
#include "ladder/page/strips.hpp"
#include "ladder/report/svg.hpp"
#include "ladder/page/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace onefold::ladder {
namespace {

constexpr int row = 46, box = 22, head = 26, left = 64, pad = 8;

std::string cell_name(const cell& c) {
  return c.memory == "shared" ? fmt::format("[{}]", c.index)
                              : fmt::format("{}[{}]", c.memory, c.index);
}

class tree_drawing {
 public:
  explicit tree_drawing(const fold_tree& tree) : tree_(tree), cells_(columns_of(tree)) {
    int x = left;
    for (const cell& c : cells_) {
      std::size_t letters_wide = cell_name(c).size();
      for (const fold& f : tree.folds) {
        if (f.to == c) letters_wide = std::max(letters_wide, letters(f.holds).size());
      }
      widths_.push_back(8 * static_cast<int>(letters_wide) + pad);
      starts_.push_back(x);
      x += widths_.back() + pad;
    }
    end_ = x;
  }

  std::string markup(std::string title) {
    const unsigned steps = tree_.folds.back().step + 1;
    drawing d(end_ + pad, head + row * static_cast<int>(steps), std::move(title));
    d.words(0, 14, "step");
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      d.words(centre(i), 14, cell_name(cells_[i]), "middle");
    }
    for (unsigned step = 0; step < steps; ++step) draw_step(d, step);
    return d.markup();
  }

 private:
  int centre(std::size_t column) const { return starts_[column] + widths_[column] / 2; }
  std::size_t column_of(const cell& c) const {
    return static_cast<std::size_t>(std::ranges::find(cells_, c) - cells_.begin());
  }

  void draw_step(drawing& d, unsigned step) {
    const int y = head + row * static_cast<int>(step);
    d.words(0, y + 15, fmt::format("{}", step));
    for (const fold& f : tree_.folds) {
      if (f.step == step) draw_fold(d, f, y);
    }
    for (const fold& f : tree_.folds) {
      if (f.step == step) bottom_[column_of(f.to)] = y + box;
    }
  }

  void draw_fold(drawing& d, const fold& f, int y) {
    const std::size_t to = column_of(f.to);
    for (const cell& c : f.from) {
      const std::size_t from = column_of(c);
      if (!bottom_.contains(from)) continue;
      d.line({centre(from), bottom_[from]}, {centre(to), y}, "branch");
    }
    d.box(starts_[to], y, widths_[to], box, "first");
    d.words(centre(to), y + 15, letters(f.holds), "middle on-first");
  }

  const fold_tree& tree_;
  std::vector<cell> cells_;
  std::vector<int> widths_, starts_;
  std::map<std::size_t, int> bottom_;  ///< of the last box in a column
  int end_ = 0;
};

}  // namespace

std::string tree_figure(const page& p) {
  if (p.tree.folds.empty()) return "";
  const std::string title = fmt::format("{}: which elements fold when", p.subject->name);
  return figure(anchor(p.subject->name) + "-tree", tree_drawing(p.tree).markup(title),
                fmt::format("Which elements fold when: block 0 of {}. A letter is an element, a "
                            "column a place in memory ([i] is shared), a row a step.",
                            launch_line(p.tree.options)));
}

}  // namespace onefold::ladder
