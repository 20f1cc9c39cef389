// SPDX-License-Identifier: Apache-2.0
// What --verbose says on standard error, and how a report is written.
#pragma once

#include <string>

#include "commands/commands.hpp"
#include "commands/parts.hpp"
#include "io/input.hpp"
#include "report/report.hpp"

namespace onefold::program {

/// What was read and how.
void tell(const input& from, const std::optional<plan>& decided);
void tell(const run_facts& run);

/// Puts the answers of an input behind those before it.
void add_part(part next, report& to);

/// The engine of a request, as --device names it.
std::string device_of(const request& asked);

/// The request with a placed() that notes where automatic runs, and warns once, on standard error
/// and in the facts, where a GPU gives the work back. They outlive the request.
request noting_place(const request& asked, run_facts& run);

/// The report in the style that was asked for.
outcome written(const report& done, const request& asked);

}  // namespace onefold::program
