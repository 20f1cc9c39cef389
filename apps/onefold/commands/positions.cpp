// SPDX-License-Identifier: Apache-2.0
// Converts indices of numbers to positions of cells.
#include "commands/positions.hpp"

#include "failure.hpp"
#include "onefold/reduce.hpp"

namespace onefold::program {

status write_position(op which, std::int64_t position, const output_view& output) {
  // The index of a single element: the library converts it, or reports that it does not fit.
  const bool element = true;
  options options;
  options.first_index = position;
  return reduce(executor::cpu{1}, which, {array_view(&element, dtype::boolean, {})}, output,
                options);
}

request asking_for_index(op which, const input& from, const request& request) {
  program::request index = request;
  if (is_position(which) && !from.missing.empty()) index.output_type.reset();
  return index;
}

void place_in_input(answer& index, op which, const input& from, const request& request) {
  if (!is_position(which) || from.missing.empty()) return;
  numbers placed(request.output_type.value_or(dtype::i64), index.value.shape());
  const std::int64_t first = request.options.first_index;
  for (std::int64_t k = 0; k < placed.size(); ++k) {
    const auto at = index.value[k].as<std::int64_t>();
    if (at < first)
      placed.set(k, index.value[k]);  // -1 if empty; only `onefold stats` has it, in i64
    else
      require_about(from.name, write_position(which, first + from.missing.position(at - first),
                                              placed.place(k, 1)));
  }
  index.value = std::move(placed);
}

}  // namespace onefold::program
