// SPDX-License-Identifier: Apache-2.0
// Diagnostics on standard error, and the choice of the report's style.
#include "commands/diagnostics.hpp"

#include <unistd.h>

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "io/standard_streams.hpp"
#include "report/escape.hpp"
#include "report/units.hpp"

namespace onefold::program {
namespace {

void note(const failure& why, report& in, bool printed = false) {
  if (!printed) print_failure(why);
  if (in.exit_code == 0) in.exit_code = why.exit_code();
}

}  // namespace

void print_failure(const failure& why) {
  if (why.why().message().empty()) return;
  const char* label = takes_colour(STDERR_FILENO) ? "\x1b[1;31monefold:\x1b[0m " : "onefold: ";
  complain(label + printable(why.why().message()) + "\n");
}

void print_plan(const input& from, const std::optional<plan>& plan) {
  const bool text = from.format == file_format::text;
  complain(fmt::format("{:<12}{}\n{:<12}{}{}\n", "file", printable(from.stream.name()), "format",
                       name(from.format), text ? "" : ", " + describe(from.stored)));
  if (plan) complain(to_string(*plan));
}

void print_run(const run_facts& run) {
  complain(fmt::format("{:<12}{}\n{:<12}{}, {}\n", "read", format_bytes(double(run.bytes)), "time",
                       format_seconds(run.time_s),
                       format_rate(run.time_s > 0 ? double(run.bytes) / run.time_s : 0)));
}

void add_part(part next, const std::optional<tensor_label>& tensor, report& report) {
  if (tensor)
    for (answer& answer : next.answers) answer.input = tensor->input, answer.tensor = tensor;
  report.run.bytes += next.bytes;
  if (next.plan) report.run.threads = std::max(report.run.threads, next.plan->threads);
  report.run.plans.push_back(std::move(next.plan));
  add_answers(std::move(next.answers), report);
}

void add_answers(std::vector<answer> answers, report& report) {
  for (answer& answer : answers) {
    if (answer.error) note(*answer.error, report);
    report.answers.push_back(std::move(answer));
  }
}

void add_failed(const array_failure& failed, std::span<const std::string_view> ops,
                report& report) {
  note(failed.why, report, failed.printed);
  report.run.plans.emplace_back();
  for (const std::string_view op : ops) {
    answer none = no_answer(op, failed.why);
    none.input = failed.input;
    none.tensor = failed.tensor;
    report.answers.push_back(std::move(none));
  }
}

std::string device_of(const request& request) {
  const executor::cuda* gpu = request.where.gpu();
  if (gpu == nullptr) return "cpu";
  if (request.where.gpus() != nullptr) return "all";
  return gpu->device < 0 ? "cuda" : fmt::format("cuda:{}", gpu->device);
}

request noting_place(const request& request, run_facts& run) {
  program::request noting = request;
  noting.options.placed = [&run](const executor& executor, const status& why) {
    run.device = executor.gpu() != nullptr ? "cuda" : "cpu";
    if (why.ok() || !run.warning.empty()) return;
    run.warning = why.message();
    complain("onefold: warning: " + run.warning + "\n");
  };
  return noting;
}

outcome written(const report& done, const request& request) {
  if (request.verbose) print_run(done.run);
  // A file without tensors has an empty report, which is one.
  const bool answered = done.exit_code == 0 || has_values(done.answers);
  switch (request.style) {
  case report_style::json:
    return {write_json(done), done.exit_code, answered};
  case report_style::tsv:
    return {write_tsv(done, request.hex), done.exit_code, answered};
  default:
    // mpirun gives its processes a terminal, whatever its own output is.
    const bool terminal =
        !request.output_path && request.ranks == nullptr && is_terminal(STDOUT_FILENO);
    return {write_plain(done, request.hex, terminal), done.exit_code, answered};
  }
}

}  // namespace onefold::program
