// SPDX-License-Identifier: Apache-2.0
// Reductions of binary inputs, window by window.
#include <algorithm>

#include "commands/parts.hpp"
#include "commands/passes.hpp"
#include "commands/positions.hpp"
#include "failure.hpp"
#include "io/element_windows.hpp"
#include "io/file_windows.hpp"
#include "onefold/machine.hpp"
#include "operations.hpp"

namespace onefold::program {
namespace {

// Whether the answers do not depend on the order of the windows, and the file is large enough for
// threads. A GPU takes windows in order.
bool any_order_serves(const input& from, const request& request, const plan& plan) {
  constexpr std::uint64_t least_bytes = 4 * file_window_bytes;
  const auto bytes = from.described.data_bytes();
  const bool file = from.format != file_format::text && from.stream.size_bytes() && bytes &&
                    from.stored.type == from.described.type;
  if (!file || *bytes < least_bytes || request.options.initial) return false;
  if (choose_executor(request.where, plan).gpu() != nullptr) return false;
  return std::all_of(request.operations.begin(), request.operations.end(), [&](op op) {
    return !is_position(op) &&
           level_of(op, from.described.type, request.options.accuracy) == level::exact;
  });
}

int workers_of(const part& plan, const request& request) {
  const std::uint64_t most = request.window_memory_bytes() / file_window_bytes;
  return int(std::clamp<std::uint64_t>(std::uint64_t(plan.plan->threads), 1, most));
}

// A state for each operator and thread, merged at the end.
void reduce_in_any_order(const input& from, const request& request, part& done) {
  program::request one = request;
  one.total = true;  // so that every operator has its own state
  one.where = executor::cpu{1};
  const int workers = workers_of(done, request);
  std::vector<passes> parts;
  parts.reserve(std::size_t(workers));
  for (int i = 0; i < workers; ++i) parts.emplace_back(one, from.described.type, 0, 0);
  done.bytes =
      for_each_file_window(from, request, workers, [&](int worker, const array_view& window) {
        require_about(from.name, parts[std::size_t(worker)].add(window));
      });
  std::vector<state> states;
  for (const op op : request.operations) {
    state all(op, from.described.type);
    for (const passes& passes : parts)
      if (passes.count() > 0)
        require_about(from.name, all.try_merge(require_about(from.name, passes.partial(op))));
    done.count = all.count();
    done.answers.push_back(answer_or_error([&] { return answer_of(all, request, from.name); }, op));
    states.push_back(all);
  }
  if (request.keeps_states()) done.whole = std::move(states);
}

}  // namespace

part reduce_elements(input& from, const request& request, std::int64_t before) {
  const dtype type = from.described.type;
  check_initial(request, type, from.name);
  part done;
  done.plan = plan_of({&from, 1}, request);
  check_outputs(request, type, from.name);
  if (done.plan && any_order_serves(from, request, *done.plan)) {
    reduce_in_any_order(from, request, done);
    return done;
  }
  passes all(request, type, before, from.described.items.value_or(0));
  stream_positions positions(from, request);
  done.bytes = for_each_window(from, request, [&](const array_view& window) {
    require_about(from.name, all.add(window));
    positions.advance(all);
  });
  done.count = all.count();
  std::vector<state> states;
  for (const op op : request.operations) {
    const auto make = [&] {
      if (request.all_digits)
        return answer_of(require_about(from.name, all.partial(op)), request, from.name);
      answer next = empty_answer(op, type, request, from.name);
      next.count = done.count;
      require_about(from.name, all.write(op, next.value.place()));
      if (const auto* position = positions.find(op))
        require_about(from.name, write_position(op, *position, next.value.place()));
      return next;
    };
    done.answers.push_back(answer_or_error(make, op));
    if (request.keeps_states()) states.push_back(require_about(from.name, all.partial(op)));
  }
  if (request.keeps_states()) done.whole = std::move(states);
  return done;
}

answer empty_answer(op op, dtype input, const request& request, const std::string& name) {
  const dtype type = output_type(op, input, request);
  const bool pair = answers_of(op) > 1;
  answer answer;
  answer.input = name;
  answer.op = onefold::name(op);
  answer.value = pair ? numbers(type, {2}) : numbers(type);
  answer.pair = pair;
  answer.delivered = level_of(op, input, request.options.accuracy);
  return answer;
}

answer no_answer(std::string_view op, const failure& why) {
  answer none;
  none.input = why.input();
  none.op = op;
  const auto known = parse_op(op);
  none.pair = known && answers_of(*known) > 1;
  none.error = why;
  return none;
}

answer answer_of(const state& from, const request& request, const std::string& input) {
  answer answer = empty_answer(from.op(), from.input(), request, input);
  answer.count = from.count();
  const rounding_options options = {request.options.nan_policy, request.options.correction};
  if (request.all_digits) {
    const double nearest = require_about(input, from.try_value(options));
    answer.value = number::decimal(from.decimal(options), nearest);
    return answer;
  }
  const output_view place = answer.value.place();
  require_about(input, from.write(place.data(), place.type(), options));
  return answer;
}

}  // namespace onefold::program
