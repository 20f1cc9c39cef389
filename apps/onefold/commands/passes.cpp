// SPDX-License-Identifier: Apache-2.0
// Distributes the operators over one or two windows objects.
#include "commands/passes.hpp"

#include <algorithm>

#include "commands/parts.hpp"
#include "failure.hpp"
#include "operations.hpp"

namespace onefold::program {
namespace {

bool is_moment(op op) {
  return accumulator_of(op) == accumulator::moments;
}

std::vector<op_list> lists_of(const request& request) {
  if (!request.total) return {request.operations};
  op_list moments, others;
  for (const op op : request.operations) (is_moment(op) ? moments : others).push_back(op);
  std::vector<op_list> lists;
  for (const op_list& list : {others, moments})
    if (list.size() > 0) lists.push_back(list);
  return lists;
}

}  // namespace

passes::passes(const request& request, dtype input, std::int64_t before, std::int64_t expected) {
  options options = request.options;
  options.expected_items = expected;
  options.first_index += before;
  for (const op_list& list : lists_of(request))
    passes_.push_back({list, windows(request.where, list, input, options)});
}

status passes::add(const array_view& piece) {
  for (pass& pass : passes_)
    if (auto done = pass.all.add(piece); !done) return done;
  return {};
}

const windows& passes::windows_of(op which) const {
  return std::find_if(passes_.begin(), passes_.end(),
                      [&](const pass& pass) { return pass.ops.contains(which); })
      ->all;
}

status passes::write(op which, const output_view& output) const {
  return windows_of(which).write(which, output);
}

result<state> passes::partial(op which) const {
  return windows_of(which).partial(which);
}

void check_outputs(const request& request, dtype input, const std::string& name) {
  program::request probe = request;
  probe.options.initial.reset();
  probe.total = false;
  probe.options.placed = nullptr;
  const std::byte zero[8] = {};
  passes one(probe, input, 0, 0);
  require_about(name, one.add({zero, input, {{1, std::int64_t(size_bytes(input))}}}));
  for (const op op : request.operations) {
    answer into = empty_answer(op, input, request, name);
    require_about(name, one.write(op, into.value.place()));
  }
}

}  // namespace onefold::program
