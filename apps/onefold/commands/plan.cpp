// SPDX-License-Identifier: Apache-2.0
// `onefold plan`: prints the plan of a reduction without running it.
#include <fmt/format.h>

#include "commands/arrays.hpp"
#include "commands/commands.hpp"
#include "commands/parts.hpp"
#include "failure.hpp"
#include "messages.hpp"
#include "report/report.hpp"

namespace onefold::program {

outcome run_plan(const request& request) {
  check_inputs(request);
  std::vector<input> from;
  for (const std::string& name : request.inputs) {
    from.push_back(open_input(name, request));
    require_one_array(from.back(), "plan");
    if (from.back().format == file_format::text) throw failure(messages::plan_of_text(name), name);
    if (!from.back().described.items) throw failure(messages::plan_of_stream(name), name);
  }
  const auto plan = *plan_of(from, request);
  if (request.style != report_style::json) return {to_string(plan)};
  return {fmt::format("{{\"schema\": 2, \"plan\": {}}}\n", json_plan(plan))};
}

}  // namespace onefold::program
