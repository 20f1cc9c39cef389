// SPDX-License-Identifier: Apache-2.0
// `--by`: the elements of one input, grouped by the integer keys of another.
#include <utility>

#include "commands/common_rows.hpp"
#include "commands/parts.hpp"
#include "commands/positions.hpp"
#include "failure.hpp"
#include "io/memory.hpp"
#include "messages.hpp"
#include "onefold/keys.hpp"
#include "operations.hpp"

namespace onefold::program {
namespace {

input open_keys(const request& request) {
  program::request as_npy = request;
  as_npy.format = file_format::automatic;
  as_npy.raw = {};
  as_npy.as_f64 = as_npy.skip_missing = false;
  input keys = open_input(*request.by, as_npy);
  if (keys.format != file_format::npy) throw failure(messages::keys_not_npy(keys.name), keys.name);
  return keys;
}

// Plans are of whole arrays and axes.
program::request without_group_options(program::request request) {
  request.options.min_count = 0;
  request.options.empty_value.reset();
  return request;
}

answer grouped(op op, const array_view& keys, const array_view& x, const request& request,
               const std::string& name, memory_budget& budget) {
  answer answer = empty_answer(op, x.type(), request, name);
  const auto make = [&](std::int64_t groups) -> group_outputs {
    const auto bytes = std::uint64_t(groups) * 8 * std::uint64_t(1 + answers_of(op));
    budget.take(bytes, name, "the answers");
    answer.keys = numbers(keys.type(), {groups});
    std::vector<std::int64_t> shape = {groups};
    if (answer.pair) shape.push_back(2);
    answer.value = numbers(answer.value.type(), std::move(shape));
    return {answer.keys->place().data(), answer.value.place()};
  };
  require_about(name, reduce_by_key(request.where, op, keys, x, make, request.options));
  return answer;
}

}  // namespace

part reduce_by_keys(input& from, const request& request) {
  if (from.format == file_format::text && !request.as_f64)
    throw failure(messages::text_option(from.name, "--by"), from.name);
  check_initial(request, from.described.type, from.name);
  input keys = open_keys(request);
  part done;
  done.plan = plan_of({&from, 1}, without_group_options(request));
  memory_budget budget(request);
  loaded key_data = load_elements(keys, request, budget, "--by");
  loaded data = load_elements(from, request, budget, "--by");
  done.bytes = key_data.bytes + data.bytes;
  keep_common_rows({data, from}, {key_data, keys});
  done.count = data.described.items.value_or(0);
  for (const op op : request.operations) {
    const auto make = [&] {
      answer answer = grouped(op, key_data.view(), data.view(), asking_for_index(op, from, request),
                              from.name, budget);
      place_in_input(answer, op, from, request);
      return answer;
    };
    done.answers.push_back(answer_or_error(make, op));
    done.answers.back().count = done.count;
  }
  return done;
}

}  // namespace onefold::program
