// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "commands/commands.hpp"
#include "failure.hpp"
#include "io/input.hpp"
#include "messages.hpp"
#include "report/report.hpp"

namespace onefold::program {

outcome run_plan(const request& asked) {
  const std::string& name = asked.inputs.front();
  const input from = open_input(name, asked);
  if (from.format == file_format::text) throw failure(messages::plan_of_text(name), name);
  if (!from.described.items) throw failure(messages::plan_of_stream(name), name);
  const array_view whole = view_of(from.described, nullptr);
  const plan decided =
      require_about(name, make_plan(asked.where, asked.operation, whole, asked.how));
  if (asked.style != report_style::json) return {to_string(decided)};
  return {fmt::format("{{\"schema\": 1, \"plan\": {}}}\n", json_plan(decided))};
}

}  // namespace onefold::program
