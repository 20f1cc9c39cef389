// SPDX-License-Identifier: Apache-2.0
#include "ladder/commands/climb.hpp"
#include "ladder/page/json.hpp"
#include "ladder/page/text.hpp"
#include "ladder/rung/sources.hpp"

namespace onefold::ladder {
namespace {

json rung_json(const rung& r) {
  json printed = json::array();
  for (const printed_as& p : r.printed) {
    printed.push_back(
        {{"document", p.document}, {"citation", citation(p.document)}, {"step", p.step}});
  }
  json entry = {{"rung", r.name}, {"title", r.title},         {"idea", r.idea},
                {"file", r.file}, {"published", r.published}, {"printed_as", printed}};
  entry["previous"] = r.previous.empty() ? json(nullptr) : json(r.previous);
  if (r.published) entry["verdict"] = r.verdict;
  if (r.compiles()) entry["usual_launch"] = to_json(usual_options(r));
  return entry;
}

}  // namespace

std::string list_text() {
  text_table rungs({{"rung", align::left}, {"what it is", align::left}, {"idea", align::left}});
  text_table twins(
      {{"published defect", align::left}, {"what it is", align::left}, {"verdict", align::left}});
  for (const rung& r : all_rungs()) {
    const std::string_view last = r.published ? r.verdict : r.idea;
    (r.published ? twins : rungs)
        .add({std::string(r.name), std::string(r.title), std::string(last)});
  }
  return rungs.text() + "\n" + twins.text();
}

std::string list_json() {
  json rungs = json::array();
  for (const rung& r : all_rungs()) rungs.push_back(rung_json(r));
  const json page = {{"schema", 1}, {"rungs", rungs}};
  return page.dump(2) + "\n";
}

}  // namespace onefold::ladder
