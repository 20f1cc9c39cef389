// SPDX-License-Identifier: Apache-2.0
#include "ladder/try/report/events.hpp"

namespace onefold::ladder {
namespace {

using learner::json;
using learner::to_json;

const char* to_string(try_state state) {
  constexpr std::array<const char*, 4> words = {"refused", "not compiled", "interrupted", "ran"};
  return words[static_cast<std::size_t>(state)];
}

json launch_of(const try_report& r) {
  json launch = {{"n", r.n}};
  if (!r.data.is_flat()) launch["shape"] = to_json(r.data);
  launch["block"] = to_json(r.block);
  launch["grid"] = to_json(r.grid);
  launch["type"] = r.type;
  launch["op"] = r.op + r.suffix;
  launch["arguments"] = r.arguments;
  return launch;
}

template <class T>
json list_of(const std::vector<T>& items) {
  json list = json::array();
  for (const T& item : items) list.push_back(to_json(item));
  return list;
}

}  // namespace

std::string json_of(const try_report& r) {
  json page = {{"schema", 1},
               {"file", r.file},
               {"state", to_string(r.state)},
               {"message", r.message},
               {"kernel", r.kernel},
               {"verdict", r.verdict()},
               {"exit_code", r.exit_code()}};
  if (r.state == try_state::ran) {
    page["launch"] = launch_of(r);
    page["expected"] = {{"answer", r.expected}, {"guessed", r.guessed}};
    if (!r.assumed.empty()) page["assumed"] = r.assumed;
    if (!r.launched.empty()) page["launched"] = r.launched;
    page["untested"] = r.untested;
    if (!r.printed.empty()) page["printed"] = r.printed;
    page["runs"] = list_of(r.runs);
    page["defects"] = list_of(r.defects);
    if (!r.lost.empty()) page["lost"] = r.lost;
    page["hints"] = r.hints;
    if (r.verified != 0) page["verified"] = r.verified;
    if (!r.notes.empty()) page["notes"] = r.notes;
    if (r.counts) page["counts"] = to_json(*r.counts);
    if (r.rung_counts) page["compared"] = {{"rung", r.rung}, {"counts", to_json(*r.rung_counts)}};
  }
  page["run"] = {{"seconds", r.seconds}};
  return page.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace onefold::ladder
