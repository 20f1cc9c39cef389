// SPDX-License-Identifier: Apache-2.0
#include "ladder/learn/letters.hpp"

#include "ladder/page/fold_recorder.hpp"
#include "ladder/report/figures.hpp"

#include <algorithm>
#include <array>
#include <optional>

namespace onefold::ladder {
namespace {

std::optional<element> element_named(const std::string& type) {
  constexpr std::array<std::pair<const char*, element>, 4> types = {
      {{"int", element::int32},
       {"float", element::float32},
       {"double", element::float64},
       {"unsigned char", element::uint8}}};
  for (const auto& [name, value] : types) {
    if (type == name) return value;
  }
  return {};
}

class letters_drawing : public launch_drawing {
 public:
  letters_drawing(element type, std::string op) : recorder_(type), op_(std::move(op)) {}

  simt::observer& observer() override { return recorder_; }

  std::string svg(std::size_t elements, const std::string& title) override {
    fold_tree tree{{}, recorder_.folds(), recorder_.in_registers()};
    if (tree.in_registers) return "";
    for (fold& f : tree.folds) f.right = folded(f.holds);
    return tree_svg(tree, elements, title);
  }

 private:
  /// Nothing for an element that no lane has read.
  std::optional<double> folded(const std::vector<std::size_t>& elements) const {
    std::optional<double> total;
    for (const std::size_t e : elements) {
      const auto value = recorder_.elements().find(e);
      if (value == recorder_.elements().end()) return {};
      const double v = value->second;
      if (!total) {
        total = v;
      } else if (op_ == "max" || op_ == "min") {
        total = op_ == "max" ? std::max(*total, v) : std::min(*total, v);
      } else {
        total = op_ == "product" ? *total * v : *total + v;
      }
    }
    return total;
  }

  fold_recorder recorder_;
  std::string op_;
};

}  // namespace

std::unique_ptr<launch_drawing> draw_letters(const std::string& type, const std::string& op) {
  const auto known = element_named(type);
  return known ? std::make_unique<letters_drawing>(*known, op) : nullptr;
}

}  // namespace onefold::ladder
