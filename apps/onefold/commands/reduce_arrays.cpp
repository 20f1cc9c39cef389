// SPDX-License-Identifier: Apache-2.0
// Reductions of inputs that are in memory as a whole.
#include <algorithm>
#include <functional>
#include <numeric>

#include "commands/common_rows.hpp"
#include "commands/parts.hpp"
#include "commands/positions.hpp"
#include "failure.hpp"
#include "io/memory.hpp"
#include "messages.hpp"
#include "onefold/reduce.hpp"
#include "operations.hpp"

namespace onefold::program {
namespace {

const char* reason(const request& request) {
  if (request.operations.contains(op::dot)) return "dot";
  return request.whole() ? "an index in column-major data" : "--axis";
}

std::vector<loaded> load(std::span<input> from, const request& request, memory_budget& budget) {
  std::vector<loaded> all;
  all.reserve(from.size());
  for (input& input : from) all.push_back(load_elements(input, request, budget, reason(request)));
  return all;
}

std::string names_of(std::span<const input> from) {
  std::string names = from.front().name;
  for (std::size_t i = 1; i < from.size(); ++i) names += " " + from[i].name;
  return names;
}

// Zeros in the shape of the answers.
answer array_answer(op op, const plan& plan, const array_view& x, const request& request,
                    const std::string& name) {
  answer answer = empty_answer(op, plan.input, request, name);
  auto shape = answer_shape(x, request.options);
  if (answer.pair) shape.push_back(2);
  answer.value = numbers(answer.value.type(), std::move(shape));
  answer.count = plan.items;
  return answer;
}

std::uint64_t answer_bytes(const plan& plan, const request& request) {
  std::uint64_t bytes = 0;
  for (const op op : request.operations) bytes += std::uint64_t(answers_of(op)) * sizeof(double);
  return std::uint64_t(plan.outputs) * bytes;
}

status write_answers(std::span<const array_view> views, const request& request,
                     std::span<answer> answers) {
  std::vector<output_view> outputs;
  for (answer& answer : answers) outputs.push_back(answer.value.place());
  return reduce(request.where, request.operations, views, outputs, request.options);
}

// If one of several operators has no answer, the others still get theirs.
void write_one_by_one(std::span<const array_view> views, request request, const std::string& name,
                      std::vector<answer>& answers) {
  const op_list all = request.operations;
  for (int i = 0; i < all.size(); ++i) {
    request.operations = {all[i]};
    answer& answer = answers[std::size_t(i)];
    const auto make = [&] {
      require_about(name, write_answers(views, request, {&answer, 1}));
      return std::move(answer);
    };
    answer = answer_or_error(make, all[i]);
  }
}

}  // namespace

void check_inputs(const request& request) {
  const auto files = request.files();
  if (std::count(files.begin(), files.end(), "-") > 1) throw failure(messages::stdin_twice(), "-");
}

bool needs_memory(const input& from, const request& request) {
  if (!request.whole()) return true;
  const layout& described = from.described;
  return described.column_major && described.shape.size() > 1 &&
         std::any_of(request.operations.begin(), request.operations.end(), is_position);
}

array_view elements_of(const array_view& x, const axis_set& over, std::int64_t k) {
  bool reduced[max_rank] = {};
  for (const int axis : over.list()) reduced[axis < 0 ? axis + x.rank() : axis] = true;
  axis_list axes;
  std::int64_t offset = 0;
  for (int i = x.rank() - 1; i >= 0; --i) {
    const axis_layout axis = x.axes()[i];
    if (reduced[i] || over.all()) continue;
    offset += k % axis.extent * axis.stride_bytes;
    k /= axis.extent;
  }
  for (int i = 0; i < x.rank(); ++i)
    if (reduced[i] || over.all()) axes.push_back(x.axes()[i]);
  return {static_cast<const std::byte*>(x.data()) + offset, x.type(), axes};
}

std::optional<plan> plan_of(std::span<const input> from, const request& request) {
  const bool known = std::all_of(from.begin(), from.end(), [](const input& input) {
    return input.described.items.has_value();
  });
  std::vector<array_view> views;
  // Only the type of a stream is known: a plan of no elements checks the rest.
  for (const input& input : from)
    views.push_back(known ? view_of(input.described, nullptr)
                          : array_view(nullptr, input.described.type, {{0, 1}}));
  auto plan = require_about(names_of(from),
                            make_plan(request.where, request.operations, views, request.options));
  return known ? std::optional(std::move(plan)) : std::nullopt;
}

part reduce_arrays(std::span<input> from, const request& request) {
  const std::string name = names_of(from);
  check_initial(request, from.front().described.type, name);
  part done;
  // Invalid requests are refused before anything is read.
  plan_of(from, request);
  memory_budget budget(request);
  auto all = load(from, request, budget);
  if (from.size() > 1) keep_common_rows({all[0], from[0]}, {all[1], from[1]});
  std::vector<array_view> views;
  for (const loaded& loaded : all) views.push_back(loaded.view()), done.bytes += loaded.bytes;
  done.plan =
      require_about(name, make_plan(request.where, request.operations, views, request.options));
  budget.take(answer_bytes(*done.plan, request), name, "the answers");
  done.count = done.plan->items;
  if (request.keeps_states() && views.size() == 2) {
    const op op = request.operations[0];
    const state products =
        require_about(name, try_partial(request.where, op, {views[0], views[1]}, request.options));
    done.answers.push_back(answer_of(products, request, name));
    done.whole = std::vector{products};
    return done;
  }
  for (const op op : request.operations)
    done.answers.push_back(
        array_answer(op, *done.plan, views[0], asking_for_index(op, from.front(), request), name));
  if (auto together = write_answers(views, request, done.answers); !together) {
    if (request.operations.size() == 1) require_about(name, together);
    write_one_by_one(views, request, name, done.answers);
  }
  for (int i = 0; i < request.operations.size(); ++i)
    if (answer& answer = done.answers[std::size_t(i)]; !answer.error)
      place_in_input(answer, request.operations[i], from.front(), request);
  return done;
}

}  // namespace onefold::program
