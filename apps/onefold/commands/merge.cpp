// SPDX-License-Identifier: Apache-2.0
// `onefold merge`: the answer of all elements of several states.
#include <chrono>
#include <utility>

#include "commands/commands.hpp"
#include "commands/diagnostics.hpp"
#include "commands/parts.hpp"
#include "commands/state_files.hpp"
#include "failure.hpp"
#include "messages.hpp"
#include "onefold/collective.hpp"
#include "operations.hpp"

namespace onefold::program {
namespace {

// States in the order of the files: prod needs it.
state merged_states(const request& request) {
  std::vector<std::byte> bytes;
  for (const std::string& name : request.inputs) {
    const auto more = require_about(name, merge_gathered(read_state_file(name))).bytes();
    bytes.insert(bytes.end(), more.begin(), more.end());
    bytes = require_about(name, merge_gathered(bytes)).bytes();
  }
  return require_about(request.inputs.back(), state::from_bytes(bytes));
}

// Each key is reported as an input.
outcome merge_by_key(const request& with) {
  const std::pair<bool, const char*> others[] = {{!with.subtracted.empty(), "--subtract"},
                                                 {with.print_words, "--words"},
                                                 {with.state_path.has_value(), "--state-out"}};
  for (const auto& [there, option] : others)
    if (there) throw failure(messages::conflict("--by-key", option));
  if (!with.additive) throw failure(messages::keys_without_words());
  std::vector<keyed_words> keys;
  for (const std::string& name : with.inputs) add_keyed_lines_of_words(name, keys);
  report done;
  done.header = true;
  for (const auto& [key, sums] : keys) {
    request request = with;
    const state all = require_about(key, state_of(sums));
    request.operations = all.op();
    check_operations(request);
    add_answers(
        {answer_or_error([&, &key = key] { return answer_of(all, request, key); }, all.op())},
        done);
  }
  return written(done, with);
}

state added_words(const request& request) {
  word_sums sums;
  for (const std::string& name : request.inputs) add_lines_of_words(name, sums);
  return require_about(request.inputs.back(), state_of(sums));
}

}  // namespace

outcome run_merge(const request& with) {
  const auto start = std::chrono::steady_clock::now();
  check_inputs(with);
  if (with.by_key) return merge_by_key(with);
  auto state_file = open_state_file(with);
  state all = with.additive ? added_words(with) : merged_states(with);
  for (const std::string& name : with.subtracted)
    require_about(name,
                  all.try_subtract(require_about(name, merge_gathered(read_state_file(name)))));
  if (state_file) write_state(*state_file, all);
  if (with.print_words) return {line_of_words(require_about("--words", try_to_additive(all)))};

  request request = with;
  request.operations = all.op();
  check_operations(request);
  report done;
  const auto make = [&] { return answer_of(all, request, "total"); };
  std::vector<answer> answers = {answer_or_error(make, all.op())};
  answers.front().input.reset();
  add_answers(std::move(answers), done);
  done.run.time_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return written(done, request);
}

}  // namespace onefold::program
