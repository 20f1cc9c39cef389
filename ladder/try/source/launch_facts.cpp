// SPDX-License-Identifier: Apache-2.0
#include "ladder/try/source/launch_facts.hpp"

#include <algorithm>
#include <bit>
#include <cctype>
#include <charconv>
#include <map>
#include <optional>

namespace onefold::ladder::learner {
namespace {

using token_list = std::vector<token>;
constexpr unsigned all_axes = 7;
constexpr unsigned max_lanes = 1024;

/// Constants of a file, and expressions of them.
class constants {
 public:
  explicit constants(const token_list& tokens) {
    for (std::size_t i = 0; i + 3 < tokens.size(); ++i) {
      if (tokens[i].kind == token_kind::directive) define(tokens[i].text);
      const bool fixed = tokens[i].is("const") || tokens[i].is("constexpr");
      if (!fixed) continue;
      std::size_t sign = i + 1;
      while (sign < tokens.size() && tokens[sign].kind == token_kind::word) ++sign;
      if (sign < tokens.size() && tokens[sign].is("="))
        note(tokens[sign - 1].text, tokens, sign + 1);
    }
  }

  /// A product or quotient of numbers and constants from `at` on; `at` ends behind it.
  std::optional<unsigned> value(const token_list& tokens, std::size_t& at) const {
    std::optional<unsigned> left = factor(tokens, at);
    while (left && at + 1 < tokens.size()) {
      const token& sign = tokens[at];
      if (!sign.is("*") && !sign.is("/") && !sign.is("+") && !sign.is("-")) break;
      std::size_t behind = at + 1;
      const std::optional<unsigned> right = factor(tokens, behind);
      if (!right || (sign.is("/") && *right == 0)) return {};
      left = sign.is("*")   ? *left * *right
             : sign.is("/") ? *left / *right
             : sign.is("+") ? *left + *right
                            : *left - *right;
      at = behind;
    }
    return left;
  }

  std::optional<unsigned> factor(const token_list& tokens, std::size_t& at) const {
    if (at >= tokens.size()) return {};
    if (tokens[at].is("(")) {
      std::size_t inner = at + 1;
      const auto found = value(tokens, inner);
      if (!found || inner >= tokens.size() || !tokens[inner].is(")")) return {};
      at = inner + 1;
      return found;
    }
    const std::string_view text = tokens[at].text;
    const auto known = values_.find(text);
    if (known != values_.end()) return ++at, known->second;
    unsigned number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool suffix = std::all_of(end, text.data() + text.size(), [](char c) {
      return std::string_view("uUlL").find(c) != std::string_view::npos;
    });
    if (error != std::errc{} || !suffix) return {};
    return ++at, number;
  }

 private:
  void note(std::string_view name, const token_list& tokens, std::size_t at) {
    const auto found = value(tokens, at);
    const bool whole = at >= tokens.size() || tokens[at].is(";") || tokens[at].is(",");
    if (found && whole) values_[name] = *found;
  }

  void define(std::string_view line) {
    const token_list words = tokens_of(line.substr(line.find('#') + 1));
    if (words.size() < 3 || !words[0].is("define")) return;
    if (words[2].is("(") && words[2].begin == words[1].end()) return;
    note(words[1].text, words, 2);
  }

  std::map<std::string_view, unsigned> values_;
};

/// By a macro, an included file of the learner's, a group of several blocks, or a number that it
/// draws: who asks how many blocks there are expects several.
bool may_ask_for_block(const token& t) {
  const auto has = [&t](std::string_view word) { return t.text.find(word) != t.text.npos; };
  if (t.kind == token_kind::directive) return has("blockIdx") || has("include \"");
  return t.is("gridDim") || t.is("this_grid") || t.is("this_cluster") || t.is("group_index") ||
         t.is("block_rank");
}

bool may_ask_for_size(const token& t) {
  if (t.kind == token_kind::directive)
    return t.text.find("blockDim") != t.text.npos || t.text.find("include \"") != t.text.npos;
  return t.is("blockDim") || t.is("this_thread_block") || t.is("size") || t.is("num_threads");
}

unsigned axis_of(const token& t) {
  return t.is("x") ? 1 : t.is("y") ? 2 : t.is("z") ? 4 : 0;
}

class reader {
 public:
  reader(const token_list& tokens, const std::vector<kernel_source>& kernels,
         const kernel_source& kernel)
      : tokens_(tokens), known_(tokens) {
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      i = behind_others(kernels, kernel, i);
      if (i < tokens.size()) read(i);
    }
    find_blocks();
  }

  const launch_facts& facts() const { return facts_; }

 private:
  bool next_is(std::size_t at, std::string_view text) const {
    return at < tokens_.size() && tokens_[at].is(text);
  }

  void read(std::size_t i) {
    const token& t = tokens_[i];
    facts_.asks_block_size |= may_ask_for_size(t);
    if (may_ask_for_block(t)) facts_.block_axes = all_axes;
    if (t.is("gridDim")) {
      facts_.asks_grid_size = true;
      facts_.strides_by_grid |= is_stride(i);
    }
    if (t.is("__launch_bounds__")) read_bounds(i + 2);
    if (t.is("__shared__")) read_array(i + 1);
    if (t.is("+") && next_is(i + 1, "=")) read_stride(i + 2);
    const bool block = t.is("blockIdx"), thread = t.is("threadIdx");
    if (!block && !thread && !t.is("blockDim")) return;
    const unsigned axis =
        next_is(i + 1, ".") && i + 2 < tokens_.size() ? axis_of(tokens_[i + 2]) : 0;
    if (block) facts_.block_axes |= axis == 0 ? all_axes : axis;
    if (!block) facts_.thread_axes |= axis;
    if (!t.is("blockDim") && axis > 1)
      facts_.dimensions = std::max(facts_.dimensions, axis == 2 ? 2u : 3u);
    if (axis == 0 || t.is("blockDim") || !next_is(i + 3, "*")) return;
    std::size_t at = i + 4;
    const auto size = known_.factor(tokens_, at);
    if (!size || *size < 2 || *size > 2 * max_lanes) return;
    if (block) extents_[axis] = *size;
    if (thread && axis == 2) row_ = *size;
  }

  /// std::size_t{gridDim.x} * blockDim.x, 32 * gridDim.x, += gridDim.x
  bool is_stride(std::size_t at) const {
    if (!next_is(at + 1, ".") || !next_is(at + 2, "x")) return false;
    std::size_t behind = at + 3;
    while (next_is(behind, ")") || next_is(behind, "}")) ++behind;
    if (next_is(behind, "*")) return true;
    const bool product = at > 0 && tokens_[at - 1].is("*");
    return product || (at > 1 && tokens_[at - 1].is("=") && tokens_[at - 2].is("+"));
  }

  void read_bounds(std::size_t at) {
    const auto size = known_.value(tokens_, at);
    if (!size || *size == 0 || *size > max_lanes) return;
    facts_.most_lanes = *size;
    add({*size});
  }

  /// float s[512], float tile[32][33]
  void read_array(std::size_t at) {
    while (at < tokens_.size() && !tokens_[at].is("[") && !tokens_[at].is(";")) ++at;
    std::vector<unsigned> sizes;
    while (next_is(at, "[")) {
      ++at;
      const auto size = known_.value(tokens_, at);
      if (!size || !next_is(at, "]")) return;
      sizes.push_back(*size);
      ++at;
    }
    if (!sizes.empty()) arrays_.push_back(sizes);
  }

  /// for (i = threadIdx.x; i < n; i += 64)
  void read_stride(std::size_t at) {
    const auto size = known_.value(tokens_, at);
    if (size && (next_is(at, ")") || next_is(at, ";")) && *size >= 32) strides_.push_back(*size);
  }

  void add(const try_shape& block) {
    const bool fits = block.volume() >= 32 && block.volume() <= facts_.most_lanes;
    const bool known =
        std::find(facts_.blocks.begin(), facts_.blocks.end(), block) != facts_.blocks.end();
    if (fits && !known) facts_.blocks.push_back(block);
  }

  void find_blocks() {
    const bool wide = (facts_.thread_axes & 2) != 0;
    if (extents_.contains(1) && !wide) add({extents_[1]});
    if (extents_.contains(1) && extents_.contains(2) && wide) add({extents_[1], extents_[2]});
    for (const std::vector<unsigned>& sizes : arrays_) {
      const unsigned last = sizes.back(), rows = sizes.size() > 1 ? sizes[0] : 1;
      const unsigned columns = std::has_single_bit(last) ? last : last - 1;
      if (!wide && sizes.size() == 1 && last > 32 && last <= max_lanes)
        facts_.arrays.push_back(last);
      if (!wide && last > 32 && std::has_single_bit(last)) add({last});
      if (!wide || !std::has_single_bit(columns)) continue;
      if (sizes.size() > 1) add({columns, rows});
      if (sizes.size() > 1 && rows == columns) {
        for (const unsigned part : {8u, 4u, 16u}) add({columns, part});
      }
      const unsigned row = row_ != 0 ? row_ : extents_.contains(1) ? extents_[1] : 0;
      if (sizes.size() == 1 && row != 0) add({row, std::max(1u, last / row)});
    }
    if (wide && row_ >= 16) add({row_, 256 / std::min(row_, 256u)});
    for (const unsigned stride : strides_)
      add(wide ? try_shape{stride, 256 / std::min(stride, 256u)} : try_shape{stride});
  }

  const token_list& tokens_;
  constants known_;
  launch_facts facts_;
  std::map<unsigned, unsigned> extents_;  ///< of a block, by axis: blockIdx.x * 64
  unsigned row_ = 0;                      ///< lanes of a row: threadIdx.y * 64
  std::vector<std::vector<unsigned>> arrays_;
  std::vector<unsigned> strides_;
};

}  // namespace

launch_facts launch_facts_of(const token_list& tokens, const std::vector<kernel_source>& kernels,
                             const kernel_source& kernel) {
  return reader(tokens, kernels, kernel).facts();
}

}  // namespace onefold::ladder::learner
