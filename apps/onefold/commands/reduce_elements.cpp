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
bool any_order_serves(const input& from, const request& asked, const plan& plan) {
  constexpr std::uint64_t least_bytes = 4 * file_window_bytes;
  const auto bytes = from.described.data_bytes();
  const bool file = from.format != file_format::text && from.stream.size_bytes() && bytes &&
                    from.stored.type == from.described.type;
  if (!file || *bytes < least_bytes || asked.options.initial) return false;
  if (choose_executor(asked.where, plan).gpu() != nullptr) return false;
  return std::all_of(asked.operations.begin(), asked.operations.end(), [&](op each) {
    return !is_position(each) &&
           level_of(each, from.described.type, asked.options.accuracy) == level::exact;
  });
}

int workers_of(const part& plan, const request& asked) {
  const std::uint64_t most = asked.window_memory_bytes() / file_window_bytes;
  return int(std::clamp<std::uint64_t>(std::uint64_t(plan.plan->threads), 1, most));
}

// A state for each operator and thread, merged at the end.
void reduce_in_any_order(const input& from, const request& asked, part& done) {
  request one = asked;
  one.total = true;  // so that every operator has its own state
  one.where = executor::cpu{1};
  const int workers = workers_of(done, asked);
  std::vector<passes> parts;
  parts.reserve(std::size_t(workers));
  for (int i = 0; i < workers; ++i) parts.emplace_back(one, from.described.type, 0, 0);
  done.bytes =
      for_each_file_window(from, asked, workers, [&](int worker, const array_view& window) {
        require_about(from.name, parts[std::size_t(worker)].add(window));
      });
  std::vector<state> states;
  for (const op what : asked.operations) {
    state all(what, from.described.type);
    for (const passes& each : parts)
      if (each.count() > 0)
        require_about(from.name, all.try_merge(require_about(from.name, each.partial(what))));
    done.count = all.count();
    done.answers.push_back(answer_or_error([&] { return answer_of(all, asked, from.name); }, what));
    states.push_back(all);
  }
  if (asked.total) done.whole = std::move(states);
}

}  // namespace

part reduce_elements(input& from, const request& asked, std::int64_t before) {
  const dtype type = from.described.type;
  check_initial(asked, type, from.name);
  part done;
  done.plan = plan_of({&from, 1}, asked);
  check_outputs(asked, type, from.name);
  if (done.plan && any_order_serves(from, asked, *done.plan)) {
    reduce_in_any_order(from, asked, done);
    return done;
  }
  passes all(asked, type, before, from.described.items.value_or(0));
  stream_positions positions(from, asked);
  done.bytes = for_each_window(from, asked, [&](const array_view& window) {
    require_about(from.name, all.add(window));
    positions.advance(all);
  });
  done.count = all.count();
  std::vector<state> states;
  for (const op what : asked.operations) {
    const auto make = [&] {
      if (asked.all_digits)
        return answer_of(require_about(from.name, all.partial(what)), asked, from.name);
      answer next = empty_answer(what, type, asked, from.name);
      next.count = done.count;
      require_about(from.name, all.write(what, next.value.place()));
      if (const auto* position = positions.of(what))
        require_about(from.name, write_position(what, *position, next.value.place()));
      return next;
    };
    done.answers.push_back(answer_or_error(make, what));
    if (asked.total) states.push_back(require_about(from.name, all.partial(what)));
  }
  if (asked.total) done.whole = std::move(states);
  return done;
}

answer empty_answer(op what, dtype input, const request& asked, const std::string& name) {
  const dtype type = output_type(what, input, asked);
  const bool pair = answers_of(what) > 1;
  answer made;
  made.input = name;
  made.what = onefold::name(what);
  made.value = pair ? numbers(type, {2}) : numbers(type);
  made.pair = pair;
  made.delivered = level_of(what, input, asked.options.accuracy);
  return made;
}

answer answer_of(const state& from, const request& asked, const std::string& input) {
  answer made = empty_answer(from.op(), from.input(), asked, input);
  made.count = from.count();
  const rounding_options how = {asked.options.nan_policy, asked.options.correction};
  if (asked.all_digits) {
    const double nearest = require_about(input, from.try_value(how));
    made.value = number::decimal(from.decimal(how), nearest);
    return made;
  }
  const output_view place = made.value.place();
  require_about(input, from.write(place.data(), place.type(), how));
  return made;
}

}  // namespace onefold::program
