// SPDX-License-Identifier: Apache-2.0
#include "ladder/try/source/idioms.hpp"

#include <algorithm>

namespace onefold::ladder::learner {
namespace {

// The first value is read in the statements before the loop.
constexpr unsigned lines_before_loop = 3;

bool holds_cas(const std::vector<token>& tokens, std::size_t first, std::size_t last) {
  return std::any_of(tokens.begin() + static_cast<std::ptrdiff_t>(first),
                     tokens.begin() + static_cast<std::ptrdiff_t>(last),
                     [](const token& t) { return t.is("atomicCAS"); });
}

/// Behind the statement or block that begins at `at`.
std::size_t behind_statement(const std::vector<token>& tokens, std::size_t at) {
  if (at < tokens.size() && tokens[at].is("(")) at = behind_bracket(tokens, at);
  if (at < tokens.size() && tokens[at].is("{")) return behind_bracket(tokens, at);
  while (at < tokens.size() && !tokens[at].is(";")) ++at;
  return at;
}

}  // namespace

bool idioms::in_cas_loop(unsigned line) const {
  return std::any_of(cas_loops.begin(), cas_loops.end(), [line](const auto& loop) {
    return loop.first <= line && line <= loop.second;
  });
}

bool idioms::has_ticket_between(unsigned write, unsigned read) const {
  return std::any_of(fences.begin(), fences.end(), [&](unsigned fence) {
    return write < fence && std::any_of(tickets.begin(), tickets.end(), [&](unsigned ticket) {
             return fence < ticket && ticket < read;
           });
  });
}

idioms idioms_in(std::string_view text, const std::vector<token>& tokens,
                 const std::vector<kernel_source>& kernels, const kernel_source& kernel) {
  idioms found;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    i = behind_others(kernels, kernel, i);
    if (i >= tokens.size()) break;
    const token& t = tokens[i];
    const auto line = [&] { return line_of(text, t.begin); };
    if (t.is("__threadfence")) found.fences.push_back(line());
    if (t.is("atomicInc") || t.is("atomicAdd")) found.tickets.push_back(line());
    found.has_volatile |= t.is("volatile");
    if (!t.is("do") && !t.is("while") && !t.is("for")) continue;
    const std::size_t end = std::min(behind_statement(tokens, i + 1), tokens.size() - 1);
    if (!holds_cas(tokens, i, end)) continue;
    const unsigned first = line();
    found.cas_loops.emplace_back(first - std::min(first, lines_before_loop),
                                 line_of(text, tokens[end].begin));
  }
  return found;
}

}  // namespace onefold::ladder::learner
