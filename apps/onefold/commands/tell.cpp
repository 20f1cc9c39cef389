// SPDX-License-Identifier: Apache-2.0
#include "commands/tell.hpp"

#include <unistd.h>

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "io/standard_streams.hpp"
#include "report/units.hpp"

namespace onefold::program {

void tell(const input& from, const std::optional<plan>& decided) {
  const bool text = from.format == file_format::text;
  complain(fmt::format("{:<12}{}\n{:<12}{}{}\n", "file", from.stream.name(), "format",
                       name(from.format), text ? "" : ", " + describe(from.stored)));
  if (decided) complain(to_string(*decided));
}

void tell(const run_facts& run) {
  complain(fmt::format("{:<12}{}\n{:<12}{}, {}\n", "read", format_bytes(double(run.bytes)), "time",
                       format_seconds(run.time_s),
                       format_rate(run.time_s > 0 ? double(run.bytes) / run.time_s : 0)));
}

void add_part(part next, report& to) {
  to.run.bytes += next.bytes;
  if (next.decided) to.run.threads = std::max(to.run.threads, next.decided->threads);
  to.run.plans.push_back(std::move(next.decided));
  for (answer& each : next.answers) to.answers.push_back(std::move(each));
}

std::string device_of(const request& asked) {
  const executor::cuda* gpu = asked.where.gpu();
  if (gpu == nullptr) return "cpu";
  return gpu->device < 0 ? "cuda" : fmt::format("cuda:{}", gpu->device);
}

request noting_place(const request& asked, run_facts& run) {
  request made = asked;
  made.how.placed = [&run](const executor& on, const status& why) {
    run.device = on.gpu() != nullptr ? "cuda" : "cpu";
    if (why.ok() || !run.warning.empty()) return;
    run.warning = why.message();
    complain("onefold: warning: " + run.warning + "\n");
  };
  return made;
}

outcome written(const report& done, const request& asked) {
  if (asked.verbose) tell(done.run);
  switch (asked.style) {
  case report_style::json:
    return {write_json(done)};
  case report_style::tsv:
    return {write_tsv(done, asked.hex)};
  default:
    return {write_plain(done, asked.hex, !asked.output_path && is_terminal(STDOUT_FILENO))};
  }
}

}  // namespace onefold::program
