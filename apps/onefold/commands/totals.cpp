// SPDX-License-Identifier: Apache-2.0
#include "commands/totals.hpp"

#include "failure.hpp"
#include "messages.hpp"

namespace onefold::program {
namespace {

std::string kind(const partials& of) {
  if (const auto* states = std::get_if<std::vector<state>>(&of))
    return std::string(name(states->front().input()));
  return "decimal text";
}

}  // namespace

void totals::add(const part& next, const std::string& input) {
  count_ += next.count;
  if (std::holds_alternative<std::monostate>(all_)) {
    all_ = next.whole;
    return;
  }
  if (kind(all_) != kind(next.whole))
    throw failure(messages::total_of_types(input, kind(next.whole), kind(all_)), input);
  auto* states = std::get_if<std::vector<state>>(&all_);
  if (!states) return std::get<decimals>(all_).merge(std::get<decimals>(next.whole));
  const auto& more = std::get<std::vector<state>>(next.whole);
  for (std::size_t i = 0; i < more.size(); ++i)
    require_about(input, (*states)[i].try_merge(more[i]));
}

std::vector<answer> totals::answers(const request& asked) const {
  std::vector<answer> made;
  for (int i = 0; i < asked.operations.size(); ++i) {
    const auto* states = std::get_if<std::vector<state>>(&all_);
    made.push_back(states
                       ? answer_of((*states)[std::size_t(i)], asked, "total")
                       : answer_of(std::get<decimals>(all_), asked.operations[i], asked, "total"));
    made.back().input.reset();
    made.back().count = count_;
  }
  return made;
}

}  // namespace onefold::program
