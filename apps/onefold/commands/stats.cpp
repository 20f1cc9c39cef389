// SPDX-License-Identifier: Apache-2.0
// `onefold stats`: all statistics of every input in one pass.
#include <algorithm>
#include <chrono>

#include "commands/arrays.hpp"
#include "commands/commands.hpp"
#include "commands/diagnostics.hpp"
#include "commands/parts.hpp"
#include "commands/positions.hpp"
#include "commands/statistics.hpp"
#include "failure.hpp"
#include "io/element_windows.hpp"
#include "io/memory.hpp"
#include "messages.hpp"
#include "onefold/reduce.hpp"

namespace onefold::program {
namespace {

part stream(input& from, const request& request) {
  const dtype type = from.described.type;
  options options = request.options;
  options.expected_items = from.described.items.value_or(0);
  windows all(request.where, request.operations, type, options);
  part done;
  done.plan = plan_of({&from, 1}, request);
  stream_positions positions(from, request);
  done.bytes = for_each_window(from, request, [&](const array_view& window) {
    require_about(from.name, all.add(window));
    positions.advance(all);
  });
  done.answers = statistics_columns(type, all.count(), {}, from.name);
  write_statistics(all, done.answers, 0);
  for (answer& answer : done.answers)
    if (const auto which = parse_op(answer.op))
      if (const auto* position = positions.find(*which)) answer.value = number::from(*position);
  return done;
}

// Computes one answer after the other: some have no element that counts.
void one_by_one(const array_view& x, const request& request, std::vector<answer>& columns) {
  options options = request.options;
  options.axes = all_axes;
  options.keepdims = false;
  const std::int64_t rows = columns.front().value.size();
  for (std::int64_t k = 0; k < rows; ++k) {
    windows one(request.where, request.operations, x.type(), options);
    require_about(*columns.front().input, one.add(elements_of(x, request.options.axes, k)));
    write_statistics(one, columns, k);
  }
}

part in_memory(input& from, const request& request) {
  part done;
  plan_of({&from, 1}, request);
  memory_budget budget(request);
  const char* why = request.whole() ? "an index in column-major data" : "--axis";
  const loaded all = load_elements(from, request, budget, why);
  const array_view x = all.view();
  done.bytes = all.bytes;
  done.plan =
      require_about(from.name, make_plan(request.where, request.operations, {x}, request.options));
  const std::size_t columns = std::size_t(request.operations.size()) + 1;
  budget.take(std::uint64_t(done.plan->outputs) * columns * 8, from.name, "the answers");
  const auto shape = answer_shape(x, request.options);
  done.answers = statistics_columns(x.type(), done.plan->items, shape, from.name);
  auto written = write_statistics(x, request, done.answers);
  if (written.code() == status_code::empty)
    one_by_one(x, request, done.answers);
  else
    require_about(from.name, written);
  for (answer& answer : done.answers)
    if (const auto which = parse_op(answer.op)) place_in_input(answer, *which, from, request);
  return done;
}

part statistics_of(input& from, const request& request) {
  if (from.format == file_format::text && !request.as_f64)
    throw failure(messages::text_operator(from.name, "stats"), from.name);
  return needs_memory(from, request) ? in_memory(from, request) : stream(from, request);
}

}  // namespace

outcome run_stats(const request& with) {
  const auto start = std::chrono::steady_clock::now();
  report done;
  request request = noting_place(with, done.run);
  request.operations = statistics_operators();
  check_inputs(request);
  done.run.device = device_of(request);
  done.header = true;
  done.per_input = std::size_t(request.operations.size()) + 1;
  const auto take = [&](input& from, const std::optional<tensor_label>& tensor) {
    part next = statistics_of(from, request);
    if (request.verbose) print_plan(from, next.plan);
    add_part(std::move(next), tensor, done);
  };
  const auto refuse = [&](const array_failure& failed) {
    add_failed(failed, statistics_names(), done);
  };
  for (const std::string& name : request.inputs) for_each_array(name, request, take, refuse);
  done.run.time_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return written(done, request);
}

}  // namespace onefold::program
