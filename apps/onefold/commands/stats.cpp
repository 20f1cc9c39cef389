// SPDX-License-Identifier: Apache-2.0
// `onefold stats`: all statistics of every input in one pass.
#include <algorithm>
#include <chrono>

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

part stream(input& from, const request& asked) {
  const dtype type = from.described.type;
  options how = asked.options;
  how.expected_items = from.described.items.value_or(0);
  windows all(asked.where, asked.operations, type, how);
  part done;
  done.plan = plan_of({&from, 1}, asked);
  stream_positions positions(from, asked);
  done.bytes = for_each_window(from, asked, [&](const array_view& window) {
    require_about(from.name, all.add(window));
    positions.advance(all);
  });
  done.answers = statistics_columns(type, all.count(), {}, from.name);
  write_statistics(all, done.answers, 0);
  for (answer& each : done.answers)
    if (const auto which = parse_op(each.what))
      if (const auto* position = positions.of(*which)) each.value = number::of(*position);
  return done;
}

// The elements of one answer, by the flat index of the kept axes.
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

// Computes one answer after the other: some have no element that counts.
void one_by_one(const array_view& x, const request& asked, std::vector<answer>& columns) {
  options how = asked.options;
  how.axes = all_axes;
  how.keepdims = false;
  const std::int64_t rows = columns.front().value.size();
  for (std::int64_t k = 0; k < rows; ++k) {
    windows one(asked.where, asked.operations, x.type(), how);
    require_about(*columns.front().input, one.add(elements_of(x, asked.options.axes, k)));
    write_statistics(one, columns, k);
  }
}

part in_memory(input& from, const request& asked) {
  part done;
  plan_of({&from, 1}, asked);
  memory_budget budget(asked);
  const char* why = asked.whole() ? "an index in column-major data" : "--axis";
  const loaded all = load_elements(from, asked, budget, why);
  const array_view x = all.view();
  done.bytes = all.bytes;
  done.plan =
      require_about(from.name, make_plan(asked.where, asked.operations, {x}, asked.options));
  const std::size_t columns = std::size_t(asked.operations.size()) + 1;
  budget.take(std::uint64_t(done.plan->outputs) * columns * 8, from.name, "the answers");
  const auto shape = answer_shape(x, asked.options);
  done.answers = statistics_columns(x.type(), done.plan->items, shape, from.name);
  auto written = write_statistics(x, asked, done.answers);
  if (written.code() == status_code::empty)
    one_by_one(x, asked, done.answers);
  else
    require_about(from.name, written);
  for (answer& each : done.answers)
    if (const auto which = parse_op(each.what)) place_in_input(each, *which, from, asked);
  return done;
}

part statistics_of(input& from, const request& asked) {
  if (from.format == file_format::text && !asked.as_f64)
    throw failure(messages::text_operator(from.name, "stats"), from.name);
  return needs_memory(from, asked) ? in_memory(from, asked) : stream(from, asked);
}

}  // namespace

outcome run_stats(const request& with) {
  const auto start = std::chrono::steady_clock::now();
  report done;
  request asked = noting_place(with, done.run);
  asked.operations = statistics_operators();
  check_inputs(asked);
  done.run.device = device_of(asked);
  done.header = true;
  done.per_input = std::size_t(asked.operations.size()) + 1;
  for (const std::string& name : asked.inputs) {
    try {
      input from = open_input(name, asked);
      part next = statistics_of(from, asked);
      if (asked.verbose) print_plan(from, next.plan);
      add_part(std::move(next), done);
    } catch (const failure& why) {
      add_failed(why, name, statistics_names(), done);
    }
  }
  done.run.time_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return written(done, asked);
}

}  // namespace onefold::program
