// SPDX-License-Identifier: Apache-2.0
#include "ladder/commands/learn_command.hpp"

#include <CLI/CLI.hpp>

namespace onefold::ladder {
namespace {

struct action {
  const char *name, *help;
  enum { no_number, current_by_default, number_required } number;
};

constexpr action actions[] = {
    {"start", "Copy the exercises into a folder of yours", action::no_number},
    {"check", "Compile, run and check your file", action::current_by_default},
    {"hint", "One more hint for what the last check found", action::no_number},
    {"answer", "The line that fills the hole", action::current_by_default},
    {"next", "The next exercise that is not done", action::no_number},
    {"list", "All exercises, and how far you are", action::no_number},
    {"goto", "Go to an exercise", action::number_required},
    {"reset", "Put a file back as given; yours is kept under another name",
     action::current_by_default},
};

void add_options(CLI::App& command, learn_request& request) {
  command.add_option("--folder", request.folder, "Of the course (default: onefold-course)");
  command.add_flag("--json", request.json, "Print everything as JSON");
}

}  // namespace

CLI::App* add_learn_command(CLI::App& app, learn_request& request, const char* program) {
  request.program = program;
  CLI::App* const learn =
      app.add_subcommand("learn", "The course: exercise after exercise, with hints");
  learn->require_subcommand(0, 1);
  add_options(*learn, request);
  for (const action& a : actions) {
    CLI::App* const command = learn->add_subcommand(a.name, a.help);
    add_options(*command, request);
    if (a.number == action::no_number) continue;
    CLI::Option* const number = command->add_option("N", request.number, "Number of an exercise")
                                    ->check(CLI::PositiveNumber);
    if (a.number == action::number_required) number->required();
  }
  return learn;
}

program_answer answer_learn_command(const CLI::App& command, learn_request request) {
  for (const CLI::App* const chosen : command.get_subcommands())
    request.action = chosen->get_name();
  const learn_answer answer = answer_learn(request);
  return {answer.text, "", answer.exit_code};
}

}  // namespace onefold::ladder
