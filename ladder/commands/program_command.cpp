// SPDX-License-Identifier: Apache-2.0
#include "ladder/commands/program_command.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>

namespace onefold::ladder {
namespace {

/// The options of `try` that a whole program has, too.
constexpr std::array shared_options = {"FILE", "--schedule", "--limit", "--json", "--help"};

bool is_shared(const CLI::Option& option) {
  const std::string name = option.get_name();
  return std::find(shared_options.begin(), shared_options.end(), name) != shared_options.end();
}

}  // namespace

void add_program_options(CLI::App& command, program_request& request) {
  const std::vector<CLI::Option*> others = command.get_options();
  CLI::Option* const main = command.add_flag(
      "--main", request.whole, "Run the whole program: its main, its copies, its launches");
  for (CLI::Option* const option : others) {
    if (!is_shared(*option)) main->excludes(option);
  }
  command.add_option("ARGUMENT", request.arguments,
                     "Of the program: try FILE --main -- ARGUMENT ...");
}

void check_no_arguments(const program_request& request) {
  if (request.arguments.empty()) return;
  throw std::invalid_argument(fmt::format(
      "try: '{}' is an argument of a program; add --main to run one", request.arguments.front()));
}

program_answer answer_program(const program_request& request, program_options options, bool json) {
  options.arguments = request.arguments;
  const program_report report = try_program(options);
  if (json) return {json_of(report), "", report.exit_code()};
  const bool refused = report.state == try_state::refused;
  const std::string text = text_of(report);
  return {refused ? "" : text, refused ? text : "", report.exit_code()};
}

}  // namespace onefold::ladder
