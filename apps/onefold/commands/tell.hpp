// SPDX-License-Identifier: Apache-2.0
// What --verbose says on standard error, and how a report is written.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "commands/commands.hpp"
#include "commands/parts.hpp"
#include "io/input.hpp"
#include "report/report.hpp"

namespace onefold::program {

/// What was read and how.
void tell(const input& from, const std::optional<plan>& decided);
void tell(const run_facts& run);

/// Says on standard error what went wrong. An empty message says nothing: the reader of our output
/// has gone, and knows it.
void tell(const failure& why);

/// Puts the answers of an input behind those before it, and tells their errors.
void add_part(part next, report& to);
void add_answers(std::vector<answer> answers, report& to);
/// The same for an input that has none at all. Its name; what each of its answers would be of.
void add_failed(const failure& why, const std::string& name, std::span<const std::string_view> what,
                report& to);

/// The engine of a request, as --device names it.
std::string device_of(const request& asked);

/// The request with a placed() that notes where automatic runs, and warns once, on standard error
/// and in the facts, where a GPU gives the work back. They outlive the request.
request noting_place(const request& asked, run_facts& run);

/// The report in the style that was asked for.
outcome written(const report& done, const request& asked);

}  // namespace onefold::program
