// SPDX-License-Identifier: Apache-2.0
// `--by`: the elements of one input, grouped by the integer keys of another.
#include <utility>

#include "commands/parts.hpp"
#include "commands/positions.hpp"
#include "failure.hpp"
#include "io/memory.hpp"
#include "messages.hpp"
#include "onefold/keys.hpp"
#include "operations.hpp"

namespace onefold::program {
namespace {

input open_keys(const request& asked) {
  request as_npy = asked;
  as_npy.format = file_format::automatic;
  as_npy.raw = {};
  as_npy.as_f64 = as_npy.skip_missing = false;
  input keys = open_input(*asked.by, as_npy);
  if (keys.format != file_format::npy) throw failure(messages::keys_not_npy(keys.name), keys.name);
  return keys;
}

answer grouped(op what, const array_view& keys, const array_view& x, const request& asked,
               const std::string& name, memory_budget& budget) {
  answer made = empty_answer(what, x.type(), asked, name);
  const auto make = [&](std::int64_t groups) -> group_outputs {
    const auto bytes = std::uint64_t(groups) * 8 * std::uint64_t(1 + answers_of(what));
    budget.take(bytes, name, "the answers");
    made.keys = numbers(keys.type(), {groups});
    std::vector<std::int64_t> shape = {groups};
    if (made.pair) shape.push_back(2);
    made.value = numbers(made.value.type(), std::move(shape));
    return {made.keys->place().data(), made.value.place()};
  };
  require_about(name, reduce_by_key(asked.where, what, keys, x, make, asked.options));
  return made;
}

}  // namespace

part reduce_by_keys(input& from, const request& asked) {
  if (from.format == file_format::text && !asked.as_f64)
    throw failure(messages::text_option(from.name, "--by"), from.name);
  check_initial(asked, from.described.type, from.name);
  input keys = open_keys(asked);
  part done;
  done.plan = plan_of({&from, 1}, asked);
  memory_budget budget(asked);
  const loaded key_data = load_elements(keys, asked, budget, "--by");
  const loaded data = load_elements(from, asked, budget, "--by");
  done.bytes = key_data.bytes + data.bytes;
  done.count = data.described.items.value_or(0);
  for (const op what : asked.operations) {
    const auto make = [&] {
      answer made = grouped(what, key_data.view(), data.view(), asking_for_index(what, from, asked),
                            from.name, budget);
      place_in_input(made, what, from, asked);
      return made;
    };
    done.answers.push_back(answer_or_error(make, what));
    done.answers.back().count = done.count;
  }
  return done;
}

}  // namespace onefold::program
