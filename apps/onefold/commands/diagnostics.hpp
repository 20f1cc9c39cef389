// SPDX-License-Identifier: Apache-2.0
// The diagnostics on standard error (errors, --verbose), and the writing of a report.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "commands/arrays.hpp"
#include "commands/commands.hpp"
#include "commands/parts.hpp"
#include "io/input.hpp"
#include "report/report.hpp"

namespace onefold::program {

/// Prints the input's format and its plan.
void print_plan(const input& from, const std::optional<plan>& plan);
void print_run(const run_facts& run);

/// Prints a failure on standard error. An empty message prints nothing: the reader of the output
/// has closed the pipe.
void print_failure(const failure& why);

/// Appends the answers of an array to the report, and prints their errors.
void add_part(part next, const std::optional<tensor_label>& tensor, report& report);
void add_answers(std::vector<answer> answers, report& report);
/// The same for an array without any answer. `ops` names the operators.
void add_failed(const array_failure& failed, std::span<const std::string_view> ops, report& report);

/// The engine of a request, as --device names it.
std::string device_of(const request& request);

/// The request with a placed() that records where automatic runs. It warns once, on standard error
/// and in the facts, if a GPU gives the work back. `run` must outlive the request.
request noting_place(const request& request, run_facts& run);

/// The report in the requested style.
outcome written(const report& done, const request& request);

}  // namespace onefold::program
