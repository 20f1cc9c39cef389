// SPDX-License-Identifier: Apache-2.0
// Merges the partials of inputs.
#include "commands/totals.hpp"

#include "failure.hpp"
#include "messages.hpp"

namespace onefold::program {
namespace {

std::string kind(const partials& partials) {
  if (const auto* states = std::get_if<std::vector<state>>(&partials))
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
  if (kind(all_) != kind(next.whole)) {
    if (!error_)
      error_ = failure(messages::total_of_types(input, kind(next.whole), kind(all_)), input);
    return;
  }
  auto* states = std::get_if<std::vector<state>>(&all_);
  if (!states) return std::get<decimals>(all_).merge(std::get<decimals>(next.whole));
  const auto& more = std::get<std::vector<state>>(next.whole);
  for (std::size_t i = 0; i < more.size(); ++i)
    require_about(input, (*states)[i].try_merge(more[i]));
}

void totals::leave_out(const std::string& input) {
  if (!error_) error_ = failure(messages::total_without(input), input);
}

const state& totals::only_state() const {
  if (error_) throw *error_;
  const auto* states = std::get_if<std::vector<state>>(&all_);
  if (states == nullptr)
    throw failure(std::holds_alternative<decimals>(all_) ? messages::state_of_text()
                                                         : messages::state_of_positions());
  return states->front();
}

answer totals::answer_of_all(std::size_t i, const request& request) const {
  if (error_) throw *error_;
  const auto* states = std::get_if<std::vector<state>>(&all_);
  return states ? answer_of((*states)[i], request, "total")
                : answer_of(std::get<decimals>(all_), request.operations[int(i)], request, "total");
}

std::vector<answer> totals::answers(const request& request) const {
  std::vector<answer> answers;
  for (int i = 0; i < request.operations.size(); ++i) {
    answers.push_back(answer_or_error([&] { return answer_of_all(std::size_t(i), request); },
                                      request.operations[i]));
    answers.back().input.reset();
    answers.back().count = count_;
  }
  return answers;
}

}  // namespace onefold::program
