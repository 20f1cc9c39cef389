// SPDX-License-Identifier: Apache-2.0
#include "ladder/page/strips.hpp"
#include "ladder/page/text.hpp"
#include "ladder/report/figures.hpp"
#include "ladder/report/html.hpp"
#include "ladder/report/report.hpp"
#include "ladder/report/svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace onefold::ladder {
namespace {

constexpr int left = 34, head = 32, gap = 20, line_height = 12, widest_column = 40;
constexpr std::size_t most_columns = 20;
constexpr unsigned most_steps = 16;

/// The elements of a cell as lines of letters, or their number where letters do not do.
std::vector<std::string> lines_of_letters(const fold& f, int width) {
  const std::string word = letters(f.holds) + (f.unknown ? "?" : "");
  const bool is_number = word.find(' ') != std::string::npos;
  const auto a_line = static_cast<std::size_t>(std::max(1, (width - 4) * 10 / 66));
  if (f.holds.empty()) return {f.unknown ? "?" : "-"};
  if (is_number) {
    return {fmt::format("{}{}", f.holds.size(), f.unknown ? "?" : ""), "el."};
  }
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < word.size(); at += a_line) lines.push_back(word.substr(at, a_line));
  return lines;
}

/// The value of a cell, and under a wrong one what it should be.
std::vector<std::string> lines_of_values(const fold& f, int width) {
  std::vector<std::string> lines = {f.value ? fmt::format("{}", *f.value) : "?"};
  if (!is_wrong_value(f)) return lines;
  const std::string right = fmt::format("({})", *f.right);
  if (words_width(right) < width) lines.push_back(right);
  return lines;
}

/// How a tree is drawn.
struct tree_words {
  std::size_t expected = 0;  ///< elements of what the block leaves; 0: nobody compares
  bool values = false;       ///< instead of elements
  bool last_steps = false;   ///< steps before the first one are left out
};

class tree_drawing {
 public:
  tree_drawing(const fold_tree& tree, const tree_words& drawn)
      : tree_(tree), drawn_(drawn), cells_(columns_of(tree)),
        width_(std::min(widest_column,
                        (paper_width - left) / std::max(1, static_cast<int>(cells_.size())))) {}

  bool fits() const {
    return cells_.size() <= most_columns && tree_.folds.back().step < most_steps;
  }

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

  std::vector<std::string> lines_of(const fold& f) const {
    return drawn_.values ? lines_of_values(f, width_) : lines_of_letters(f, width_);
  }

  int height_of(const fold& f) const {
    return 6 + line_height * static_cast<int>(lines_of(f).size());
  }

  bool is_wrong(const fold& f) const {
    if (drawn_.values) return is_wrong_value(f);
    const bool result = f.to.memory != "shared";
    return drawn_.expected != 0 && (f.unknown || (result && f.holds.size() < drawn_.expected));
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
    const bool wrong = is_wrong(f);
    d.box(start(to) + 1, y, width_ - 2, height_of(f), wrong ? "extra" : "first");
    int baseline = y + line_height;
    for (const std::string& line : lines_of(f)) {
      d.words(centre(to), baseline, line, wrong ? "middle on-extra" : "middle on-first");
      baseline += line_height;
    }
  }

  const fold_tree& tree_;
  tree_words drawn_;
  std::vector<cell> cells_;
  int width_;
  std::map<std::size_t, int> bottom_;  ///< of the last box in a column
  std::optional<unsigned> interval_;   ///< of the last fold drawn
};

/// The last steps of a tree too wide to draw: what the block leaves, and the cells that it is made
/// of, as far back as there are columns for them.
fold_tree last_steps(const fold_tree& tree) {
  constexpr std::size_t most_cells = 9;
  constexpr unsigned most_shown = 8;
  fold_tree last{tree.options, {}, tree.in_registers};
  std::vector<cell> needed, drawn;
  unsigned step = tree.folds.empty() ? 0 : tree.folds.back().step;
  for (auto f = tree.folds.rbegin(); f != tree.folds.rend(); ++f) {
    const bool enough =
        drawn.size() >= most_cells || tree.folds.back().step - f->step >= most_shown;
    if (f->step != step && enough) break;
    step = f->step;
    const bool result = f->to.memory != "shared";
    if (!result && std::ranges::find(needed, f->to) == needed.end()) continue;
    std::erase(needed, f->to);
    if (std::ranges::find(drawn, f->to) == drawn.end()) drawn.push_back(f->to);
    needed.insert(needed.end(), f->from.begin(), f->from.end());
    last.folds.push_back(*f);
  }
  std::ranges::reverse(last.folds);
  const unsigned first = last.folds.empty() ? 0 : last.folds.front().step;
  for (fold& f : last.folds) f.step -= first;
  return last;
}

std::string caption_of(const fold_tree& tree, const tree_words& drawn) {
  std::string text = fmt::format(
      "Which elements fold when: {}block {} of {}. {} a column a place in memory, a row a step; a "
      "line across is a barrier of the block.",
      drawn.last_steps ? "the last steps of " : "", tree.folds.front().block,
      launch_line(tree.options),
      drawn.values ? "A box shows the value that a place holds," : "A letter is an element,");
  if (drawn.values) {
    text += " The other colour is where it is not that of the elements folded there, which is in "
            "brackets where it is short enough.";
  } else if (drawn.expected != 0) {
    text += fmt::format(" The block has {} elements; the other colour is where one is unknown (?) "
                        "or where too few arrive.",
                        drawn.expected);
  }
  return text;
}

std::string one_tree(const page& p, const fold_tree& tree, std::string_view id,
                     const tree_words& drawn = {}) {
  if (tree.folds.empty()) return "";
  tree_drawing picture(tree, drawn);
  if (!picture.fits()) return "";
  const std::string title = fmt::format("{}: which elements fold when", p.subject->name);
  return figure(fmt::format("{}-{}", anchor(p.subject->name), id), picture.markup(title),
                caption_of(tree, drawn));
}

/// The elements that a block has to fold: those that a right kernel reads there.
std::size_t share_of_block(const page& p) {
  const grid_picture& g = p.pictures.grid;
  const std::size_t block = g.telling.folds.empty() ? 0 : g.telling.folds.front().block;
  const std::size_t share = std::size_t{g.options.block} * p.subject->items_per_lane;
  return std::min(share, g.options.n - std::min(g.options.n, block * share));
}

/// The block of a published kernel that shows its defect.
std::string defect_tree(const page& p) {
  const grid_picture& g = p.pictures.grid;
  tree_words drawn{.expected = share_of_block(p)};
  drawn.values = shows_by_value(g);
  std::string whole = one_tree(p, g.telling, "tree", drawn);
  if (!whole.empty()) return whole;
  drawn.last_steps = true;
  return one_tree(p, last_steps(g.telling), "tree", drawn);
}

}  // namespace

std::string tree_figure(const page& p) {
  const std::string defect = p.subject->published ? defect_tree(p) : "";
  return defect.empty() ? one_tree(p, p.tree, "tree") : defect;
}

std::string tree_svg(const fold_tree& tree, std::size_t expected, const std::string& title) {
  if (tree.folds.empty()) return "";
  const auto lacks = [expected](const fold& f) {
    return f.unknown || (f.to.memory != "shared" && f.holds.size() < expected);
  };
  tree_words drawn{.expected = expected};
  drawn.values =
      std::ranges::none_of(tree.folds, lacks) && std::ranges::any_of(tree.folds, is_wrong_value);
  tree_drawing picture(tree, drawn);
  const bool fits = picture.fits();
  const fold_tree last = fits ? fold_tree{} : last_steps(tree);
  if (!fits && (last.folds.empty() || !tree_drawing(last, drawn).fits())) return "";
  std::string svg = fits ? picture.markup(title) : tree_drawing(last, drawn).markup(title);
  const std::size_t inside = svg.find("<title>");
  svg.insert(inside, fmt::format("<style>{}</style>", escaped(report_style())));
  svg.insert(4, R"( xmlns="http://www.w3.org/2000/svg")");
  return svg + "\n";
}

std::string eight_figure(const page& p) {
  return one_tree(p, p.pictures.eight, "eight");
}

}  // namespace onefold::ladder
