// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "commands/parts.hpp"
#include "commands/passes.hpp"
#include "commands/positions.hpp"
#include "failure.hpp"
#include "io/element_windows.hpp"
#include "operations.hpp"

namespace onefold::program {

part reduce_elements(input& from, const request& asked, std::int64_t before) {
  const dtype type = from.described.type;
  check_initial(asked, type, from.name);
  part done;
  done.decided = plan_of({&from, 1}, asked);
  check_outputs(asked, type, from.name);
  passes all(asked, type, before, from.described.items.value_or(0));
  stream_positions positions(from, asked);
  done.bytes = for_each_window(from, asked, [&](const array_view& window) {
    require_about(from.name, all.add(window));
    positions.advance(all);
  });
  done.count = all.count();
  std::vector<state> states;
  for (const op what : asked.operations) {
    if (asked.all_digits) {
      const auto sum = require_about(from.name, all.partial(what));
      done.answers.push_back(answer_of(sum, asked, from.name));
      if (asked.total) states.push_back(sum);
      continue;
    }
    answer next = empty_answer(what, type, asked, from.name);
    next.count = done.count;
    require_about(from.name, all.write(what, next.value.place()));
    if (const auto* position = positions.of(what))
      require_about(from.name, write_position(what, *position, next.value.place()));
    done.answers.push_back(std::move(next));
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
  made.delivered = level_of(what, input, asked.how.how);
  return made;
}

answer answer_of(const state& from, const request& asked, const std::string& input) {
  answer made = empty_answer(from.what(), from.input(), asked, input);
  made.count = from.count();
  const finish_options how = {asked.how.nan, asked.how.correction};
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
