// SPDX-License-Identifier: Apache-2.0
// Distributes the operators over one or two windows objects.
#include "commands/passes.hpp"

#include <algorithm>

#include "commands/parts.hpp"
#include "failure.hpp"
#include "operations.hpp"

namespace onefold::program {
namespace {

bool is_moment(op what) {
  return accumulator_of(what) == accumulator::moments;
}

std::vector<op_list> lists_of(const request& asked) {
  if (!asked.total) return {asked.operations};
  op_list moments, others;
  for (const op each : asked.operations) (is_moment(each) ? moments : others).push_back(each);
  std::vector<op_list> lists;
  for (const op_list& list : {others, moments})
    if (list.size() > 0) lists.push_back(list);
  return lists;
}

}  // namespace

passes::passes(const request& asked, dtype input, std::int64_t before, std::int64_t expected) {
  options how = asked.options;
  how.expected_items = expected;
  how.first_index += before;
  for (const op_list& list : lists_of(asked))
    each_.push_back({list, windows(asked.where, list, input, how)});
}

status passes::add(const array_view& piece) {
  for (pass& each : each_)
    if (auto done = each.all.add(piece); !done) return done;
  return {};
}

const windows& passes::of(op which) const {
  return std::find_if(each_.begin(), each_.end(),
                      [&](const pass& each) { return each.what.contains(which); })
      ->all;
}

status passes::write(op which, const output_view& output) const {
  return of(which).write(which, output);
}

result<state> passes::partial(op which) const {
  return of(which).partial(which);
}

void check_outputs(const request& asked, dtype input, const std::string& name) {
  request probe = asked;
  probe.options.initial.reset();
  probe.total = false;
  probe.options.placed = nullptr;
  const std::byte zero[8] = {};
  passes one(probe, input, 0, 0);
  require_about(name, one.add({zero, input, {{1, std::int64_t(size_bytes(input))}}}));
  for (const op what : asked.operations) {
    answer into = empty_answer(what, input, asked, name);
    require_about(name, one.write(what, into.value.place()));
  }
}

}  // namespace onefold::program
