// SPDX-License-Identifier: Apache-2.0
// The reduction command: chooses how to read each input, and merges them under --total.
#include <algorithm>
#include <chrono>
#include <span>

#include "commands/arrays.hpp"
#include "commands/commands.hpp"
#include "commands/diagnostics.hpp"
#include "commands/parts.hpp"
#include "commands/state_files.hpp"
#include "commands/totals.hpp"
#include "failure.hpp"
#include "messages.hpp"
#include "operations.hpp"
#include "ranks/ranks.hpp"

namespace onefold::program {
namespace {

void check_total(const request& request) {
  if (!request.total) return;
  if (!request.whole()) throw failure(messages::total_of_arrays());
  if (request.by) throw failure(messages::conflict("--total", "--by"));
  if (request.options.initial) throw failure(messages::conflict("--total", "--initial"));
  if (request.operations.contains(op::dot)) throw failure(messages::total_of_dot());
  if (request.options.accuracy == accuracy::fast) throw failure(messages::total_of_fast());
  for (const op op : request.operations)
    if (is_position(op)) throw failure(messages::total_of_positions(name(op)));
}

// `option` needs a state of each operator.
void check_has_states(const request& request, const char* option) {
  const std::pair<bool, const char*> others[] = {
      {!request.whole(), "--axis"},
      {request.by.has_value(), "--by"},
      {request.options.initial.has_value(), "--initial"},
      {request.options.accuracy == accuracy::fast, "--accuracy fast"}};
  for (const auto& [there, other] : others)
    if (there) throw failure(messages::conflict(option, other));
}

void check_state(const request& request) {
  if (!request.state_path) return;
  if (request.operations.size() > 1) throw failure(messages::state_of_several());
  if (request.inputs.size() > 1 && !request.total && !request.operations.contains(op::dot))
    throw failure(messages::state_of_inputs());
  check_has_states(request, "--state-out");
}

void check_keys(const request& request) {
  if (!request.by) return;
  if (!request.whole()) throw failure(messages::conflict("--by", "--axis"));
  if (request.operations.contains(op::dot)) throw failure(messages::keys_of_dot());
}

// Both inputs of dot.
std::vector<input> open_pair(const request& request) {
  std::vector<input> pair;
  for (const std::string& name : request.inputs) {
    pair.push_back(open_input(name, request));
    require_one_array(pair.back(), "dot");
  }
  return pair;
}

std::string joined(std::span<const std::string> names) {
  std::string text = names[0];
  for (const std::string& name : names.subspan(1)) text += " " + name;
  return text;
}

std::vector<std::string_view> names_of(const op_list& ops) {
  std::vector<std::string_view> names;
  for (const op op : ops) names.push_back(name(op));
  return names;
}

bool holds_decimals(const input& from, const request& request) {
  return from.format == file_format::text && !request.as_f64;
}

part reduce_group(std::span<input> group, const request& request, std::int64_t before) {
  if (request.by) return reduce_by_keys(group.front(), request);
  const auto decimal = std::find_if(group.begin(), group.end(), [&](const input& input) {
    return holds_decimals(input, request);
  });
  if (decimal != group.end()) return reduce_text(*decimal, request);
  if (group.size() > 1 || needs_memory(group.front(), request))
    return reduce_arrays(group, request);
  return reduce_elements(group.front(), request, before);
}

// Of ranks the first writes.
std::optional<output> state_file_of(const request& request) {
  if (!request.ranks) return open_state_file(request);
  return on_all(*request.ranks, {},
                [&] { return request.ranks->first() ? open_state_file(request) : std::nullopt; });
}

}  // namespace

outcome run_reduce(const request& with) {
  check_total(with);
  check_keys(with);
  check_state(with);
  if (with.ranks) check_has_states(with, "--ranks");
  check_inputs(with);
  auto state_file = state_file_of(with);
  const auto start = std::chrono::steady_clock::now();
  report done;
  const request request = noting_place(with, done.run);
  done.run.device = device_of(request);
  done.per_input = std::size_t(request.operations.size());
  done.header = done.per_input > 1 || request.by;
  totals all;
  const auto keep = [&](part next, const std::string& name,
                        const std::optional<tensor_label>& tensor) {
    if (request.keeps_states()) all.add(next, name);
    add_part(std::move(next), tensor, done);
  };
  const auto take = [&](std::span<input> group, const std::optional<tensor_label>& tensor) {
    part next = reduce_group(group, request, all.count());
    if (request.verbose)
      for (const input& input : group) print_plan(input, next.plan);
    keep(std::move(next), group.front().name, tensor);
  };
  const auto refuse = [&](const array_failure& failed) {
    if (request.keeps_states()) all.leave_out(failed.input);
    add_failed(failed, names_of(request.operations), done);
  };
  const auto try_together = [&](std::span<const std::string> names, const auto& reduce) {
    try {
      reduce(names);
    } catch (const failure& why) {
      refuse({why, joined(names), {}});
    }
  };
  const std::span<const std::string> names = request.inputs;
  const std::size_t together = request.operations.contains(op::dot) ? 2 : 1;
  if (request.ranks) {
    for (std::size_t i = 0; i < names.size(); i += together)
      try_together(names.subspan(i, together), [&](std::span<const std::string> some) {
        const std::string name = joined(some);
        keep(reduce_over_ranks(some, name, request), name, {});
      });
  } else if (together == 2) {
    try_together(names, [&](std::span<const std::string>) {
      auto pair = open_pair(request);
      take(pair, {});
    });
  } else {
    const auto take_one = [&](input& from, const std::optional<tensor_label>& tensor) {
      if (request.by && tensor) require_one_array(from, "--by");
      take({&from, 1}, tensor);
    };
    for (const std::string& name : names) for_each_array(name, request, take_one, refuse);
  }
  if (request.total) add_answers(all.answers(request), done);
  if (state_file && done.exit_code == 0) write_state(*state_file, all.only_state());
  done.run.time_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return written(done, request);
}

}  // namespace onefold::program
