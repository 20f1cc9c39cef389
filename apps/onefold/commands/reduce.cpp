// SPDX-License-Identifier: Apache-2.0
// The reduction command: chooses how to read each input, and merges them under --total.
#include <algorithm>
#include <chrono>
#include <span>

#include "commands/commands.hpp"
#include "commands/diagnostics.hpp"
#include "commands/parts.hpp"
#include "commands/totals.hpp"
#include "failure.hpp"
#include "messages.hpp"
#include "operations.hpp"

namespace onefold::program {
namespace {

void check_total(const request& asked) {
  if (!asked.total) return;
  if (!asked.whole()) throw failure(messages::total_of_arrays());
  if (asked.by) throw failure(messages::conflict("--total", "--by"));
  if (asked.options.initial) throw failure(messages::conflict("--total", "--initial"));
  if (asked.operations.contains(op::dot)) throw failure(messages::total_of_dot());
  if (asked.options.accuracy == accuracy::fast) throw failure(messages::total_of_fast());
  for (const op what : asked.operations)
    if (is_position(what)) throw failure(messages::total_of_positions(name(what)));
}

void check_keys(const request& asked) {
  if (!asked.by) return;
  if (!asked.whole()) throw failure(messages::conflict("--by", "--axis"));
  if (asked.operations.contains(op::dot)) throw failure(messages::keys_of_dot());
}

// The inputs that are reduced together: two for dot, else one.
std::vector<input> open_group(const request& asked, std::span<const std::string> names) {
  std::vector<input> group;
  for (const std::string& name : names) group.push_back(open_input(name, asked));
  return group;
}

std::string joined(std::span<const std::string> names) {
  std::string text = names[0];
  for (const std::string& name : names.subspan(1)) text += " " + name;
  return text;
}

std::vector<std::string_view> names_of(const op_list& ops) {
  std::vector<std::string_view> names;
  for (const op each : ops) names.push_back(name(each));
  return names;
}

bool holds_decimals(const input& from, const request& asked) {
  return from.format == file_format::text && !asked.as_f64;
}

part reduce_group(std::vector<input>& group, const request& asked, std::int64_t before) {
  if (asked.by) return reduce_by_keys(group.front(), asked);
  const auto decimal = std::find_if(group.begin(), group.end(),
                                    [&](const input& each) { return holds_decimals(each, asked); });
  if (decimal != group.end()) return reduce_text(*decimal, asked);
  if (group.size() > 1 || needs_memory(group.front(), asked)) return reduce_arrays(group, asked);
  return reduce_elements(group.front(), asked, before);
}

}  // namespace

outcome run_reduce(const request& with) {
  check_total(with);
  check_keys(with);
  check_inputs(with);
  const auto start = std::chrono::steady_clock::now();
  report done;
  const request asked = noting_place(with, done.run);
  done.run.device = device_of(asked);
  done.per_input = std::size_t(asked.operations.size());
  done.header = done.per_input > 1 || asked.by;
  totals all;
  const std::size_t together = asked.operations.contains(op::dot) ? 2 : 1;
  for (std::size_t i = 0; i < asked.inputs.size(); i += together) {
    const std::span names(&asked.inputs[i], together);
    try {
      auto group = open_group(asked, names);
      part next = reduce_group(group, asked, all.count());
      if (asked.verbose)
        for (const input& each : group) print_plan(each, next.plan);
      if (asked.total) all.add(next, names[0]);
      add_part(std::move(next), done);
    } catch (const failure& why) {
      // The remaining inputs are still processed, as in `wc` and `cat`.
      if (asked.total) all.leave_out(names[0]);
      add_failed(why, joined(names), names_of(asked.operations), done);
    }
  }
  if (asked.total) add_answers(all.answers(asked), done);
  done.run.time_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return written(done, asked);
}

}  // namespace onefold::program
