// SPDX-License-Identifier: Apache-2.0
// Reductions of inputs that are in memory as a whole.
#include <algorithm>
#include <functional>
#include <numeric>

#include "commands/parts.hpp"
#include "commands/positions.hpp"
#include "commands/reduce_views.hpp"
#include "failure.hpp"
#include "io/memory.hpp"
#include "messages.hpp"
#include "operations.hpp"

namespace onefold::program {
namespace {

const char* reason(const request& asked) {
  if (asked.operations.contains(op::dot)) return "dot";
  return asked.whole() ? "an index in column-major data" : "--axis";
}

std::vector<loaded> load(std::vector<input>& from, const request& asked, memory_budget& budget) {
  std::vector<loaded> all;
  all.reserve(from.size());
  for (input& each : from) all.push_back(load_elements(each, asked, budget, reason(asked)));
  return all;
}

std::string names_of(std::span<const input> from) {
  std::string names = from.front().name;
  for (std::size_t i = 1; i < from.size(); ++i) names += " " + from[i].name;
  return names;
}

// Zeros in the shape of the answers.
answer array_answer(op what, const plan& plan, const array_view& x, const request& asked,
                    const std::string& name) {
  answer made = empty_answer(what, plan.input, asked, name);
  auto shape = answer_shape(x, asked.options);
  if (made.pair) shape.push_back(2);
  made.value = numbers(made.value.type(), std::move(shape));
  made.count = plan.items;
  return made;
}

std::uint64_t answer_bytes(const plan& plan, const request& asked) {
  std::uint64_t bytes = 0;
  for (const op what : asked.operations) bytes += std::uint64_t(answers_of(what)) * sizeof(double);
  return std::uint64_t(plan.outputs) * bytes;
}

status write_answers(std::span<const array_view> views, const request& asked,
                     std::span<answer> answers) {
  std::vector<output_view> outputs;
  for (answer& each : answers) outputs.push_back(each.value.place());
  return reduce_views(asked.where, asked.operations, views, outputs, asked.options);
}

// If one of several operators has no answer, the others still get theirs.
void write_one_by_one(std::span<const array_view> views, request asked, const std::string& name,
                      std::vector<answer>& answers) {
  const op_list all = asked.operations;
  for (int i = 0; i < all.size(); ++i) {
    asked.operations = {all[i]};
    answer& each = answers[std::size_t(i)];
    const auto make = [&] {
      require_about(name, write_answers(views, asked, {&each, 1}));
      return std::move(each);
    };
    each = answer_or_error(make, all[i]);
  }
}

}  // namespace

void check_inputs(const request& asked) {
  const auto reads = std::count(asked.inputs.begin(), asked.inputs.end(), "-");
  if (reads + (asked.by == "-") > 1) throw failure(messages::stdin_twice(), "-");
}

bool needs_memory(const input& from, const request& asked) {
  if (!asked.whole()) return true;
  const layout& described = from.described;
  return described.column_major && described.shape.size() > 1 &&
         std::any_of(asked.operations.begin(), asked.operations.end(), is_position);
}

std::optional<plan> plan_of(std::span<const input> from, const request& asked) {
  const bool known = std::all_of(
      from.begin(), from.end(), [](const input& each) { return each.described.items.has_value(); });
  std::vector<array_view> views;
  // Only the type of a stream is known: a plan of no elements checks the rest.
  for (const input& each : from)
    views.push_back(known ? view_of(each.described, nullptr)
                          : array_view(nullptr, each.described.type, {{0, 1}}));
  auto plan = require_about(names_of(from),
                            plan_views(asked.where, asked.operations, views, asked.options));
  return known ? std::optional(std::move(plan)) : std::nullopt;
}

part reduce_arrays(std::vector<input>& from, const request& asked) {
  const std::string name = names_of(from);
  check_initial(asked, from.front().described.type, name);
  part done;
  // Invalid requests are refused before anything is read.
  plan_of(from, asked);
  memory_budget budget(asked);
  const auto all = load(from, asked, budget);
  if (from.size() > 1 && from[0].missing != from[1].missing)
    throw failure(messages::missing_of_pairs(name), name);
  std::vector<array_view> views;
  for (const loaded& each : all) views.push_back(each.view()), done.bytes += each.bytes;
  done.plan = require_about(name, plan_views(asked.where, asked.operations, views, asked.options));
  budget.take(answer_bytes(*done.plan, asked), name, "the answers");
  for (const op what : asked.operations)
    done.answers.push_back(array_answer(what, *done.plan, views[0],
                                        asking_for_index(what, from.front(), asked), name));
  if (auto together = write_answers(views, asked, done.answers); !together) {
    if (asked.operations.size() == 1) require_about(name, together);
    write_one_by_one(views, asked, name, done.answers);
  }
  for (int i = 0; i < asked.operations.size(); ++i)
    if (answer& each = done.answers[std::size_t(i)]; !each.error)
      place_in_input(each, asked.operations[i], from.front(), asked);
  done.count = done.plan->items;
  return done;
}

}  // namespace onefold::program
