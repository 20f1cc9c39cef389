// SPDX-License-Identifier: Apache-2.0
#include "ladder/try/source/loops.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace onefold::ladder::learner {
namespace {

std::optional<unsigned> number_in(std::string_view word) {
  unsigned value = 0;
  while (word.ends_with('u') || word.ends_with('U')) word.remove_suffix(1);
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc{} || end != word.data() + word.size()) return {};
  return value;
}

/// The text of tokens without blanks.
std::string joined(const std::vector<token>& tokens, std::size_t first, std::size_t last) {
  std::string text;
  for (std::size_t i = first; i < last; ++i) text += tokens[i].text;
  return text;
}

/// "/2" and ">>1" divide, "*2" and "<<1" multiply; an = before the operand is left out.
bool read_step(std::string_view text, counted_loop& loop) {
  for (const auto& [sign, operation] : {std::pair(">>=", '>'),
                                        {"<<=", '<'},
                                        {"*=", '*'},
                                        {"/=", '/'},
                                        {"+=", '+'},
                                        {"-=", '-'},
                                        {">>", '>'},
                                        {"<<", '<'},
                                        {"*", '*'},
                                        {"/", '/'}}) {
    if (!text.starts_with(sign)) continue;
    const auto operand = number_in(text.substr(std::string_view(sign).size()));
    if (!operand || *operand == 0 || *operand > 1024) return false;
    const bool shifts = operation == '>' || operation == '<';
    if (shifts && *operand > 10) return false;
    loop.operation = operation == '>' ? '/' : operation == '<' ? '*' : operation;
    loop.operand = shifts ? 1u << *operand : *operand;
    return true;
  }
  return false;
}

bool read_start(std::string_view text, counted_loop& loop) {
  constexpr std::string_view block = "blockDim.x";
  if (text.starts_with(block)) {
    counted_loop divided;
    loop.from_block = true;
    text.remove_prefix(block.size());
    if (!text.empty() && (!read_step(text, divided) || divided.operation != '/')) return false;
    loop.start = text.empty() ? 1 : divided.operand;
    return true;
  }
  const auto number = number_in(text);
  loop.start = number.value_or(0);
  return number.has_value();
}

std::size_t find(const std::vector<token>& tokens, std::size_t first, std::size_t last,
                 std::string_view sign) {
  while (first < last && !tokens[first].is(sign)) ++first;
  return first;
}

std::optional<counted_loop> loop_at(std::string_view text, const std::vector<token>& tokens,
                                    std::size_t at) {
  if (at + 1 >= tokens.size() || !tokens[at + 1].is("(")) return {};
  const std::size_t behind = behind_bracket(tokens, at + 1), close = behind - 1;
  const std::size_t equal = find(tokens, at, close, "="), first = find(tokens, at, close, ";");
  const std::size_t second = find(tokens, first + 1, close, ";");
  if (behind >= tokens.size() || equal >= first || second >= close || second + 1 >= close)
    return {};
  counted_loop loop;
  loop.variable = tokens[equal - 1].text;
  std::string step = joined(tokens, second + 1, close);
  if (step == loop.variable + "++" || step == "++" + loop.variable) step = loop.variable + "+=1";
  if (step.starts_with(loop.variable + "=" + loop.variable))
    step = step.substr(loop.variable.size() + 1);
  if (!step.starts_with(loop.variable)) return {};
  if (!read_start(joined(tokens, equal + 1, first), loop) ||
      !read_step(std::string_view(step).substr(loop.variable.size()), loop))
    return {};
  const std::size_t end =
      std::min(tokens[behind].is("{") ? behind_bracket(tokens, behind)
                                      : find(tokens, behind, tokens.size(), ";") + 1,
               tokens.size());
  loop.first_line = line_of(text, tokens[at].begin);
  loop.last_line = line_of(text, tokens[end - 1].begin);
  loop.barriers =
      static_cast<unsigned>(std::count_if(tokens.begin() + static_cast<std::ptrdiff_t>(behind),
                                          tokens.begin() + static_cast<std::ptrdiff_t>(end),
                                          [](const token& t) { return t.is("__syncthreads"); }));
  return loop;
}

}  // namespace

std::string counted_loop::step(unsigned iteration, unsigned block) const {
  long long value = from_block ? block / start : start;
  for (unsigned i = 0; i < iteration && value < (1 << 20); ++i) {
    if (operation == '*') value *= operand;
    if (operation == '/') value /= operand;
    if (operation == '+') value += operand;
    if (operation == '-') value -= operand;
  }
  return fmt::format("{} = {}", variable, value);
}

std::vector<counted_loop> counted_loops_in(std::string_view text,
                                           const std::vector<token>& tokens) {
  std::vector<counted_loop> loops;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (!tokens[i].is("for")) continue;
    if (const auto loop = loop_at(text, tokens, i)) loops.push_back(*loop);
  }
  return loops;
}

}  // namespace onefold::ladder::learner
