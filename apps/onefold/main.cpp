// SPDX-License-Identifier: Apache-2.0
// The program `onefold`: parses, runs the command, writes its report; handles every failure here.
#include <cstdlib>
#include <new>

#include <fmt/format.h>

#include "commands/commands.hpp"
#include "commands/diagnostics.hpp"
#include "failure.hpp"
#include "interrupt.hpp"
#include "io/output.hpp"
#include "io/standard_streams.hpp"
#include "messages.hpp"
#include "onefold/version.hpp"
#include "options.hpp"
#include "report/report.hpp"

#include <unistd.h>

namespace onefold::program {
namespace {

outcome run(const request& request) {
  switch (request.command) {
  case command::reduce:
    return run_reduce(request);
  case command::stats:
    return run_stats(request);
  case command::audit:
    return run_audit(request);
  case command::merge:
    return run_merge(request);
  case command::plan:
    return run_plan(request);
  case command::doctor:
    return run_doctor(request);
  case command::fingerprint:
    return run_fingerprint(request);
  case command::ladder:
  case command::tour:
    run_sibling(request);
  case command::help:
    return {help_text(request.words.empty() ? "" : request.words[0])};
  case command::version:
    break;
  }
  return {"onefold " ONEFOLD_VERSION_STRING "\n"};
}

int print(const failure& why, bool json) {
  print_failure(why);
  if (json && !why.why().message().empty())
    static_cast<void>(write_all(STDOUT_FILENO, write_json_error(why), ""));
  return why.exit_code();
}

int story(int argc, char** argv) {
  const request request = parse_command_line(argc, argv);
  // A program that replaces this process inherits the original signal handling.
  const bool leaves = request.command == command::ladder || request.command == command::tour;
  if (!leaves) watch_interrupts();
  if (request.output_path) require(check_not_an_input(*request.output_path, request.files()));
  output place = require(output::open(request.output_path));
  const outcome done = run(request);
  require(done.answered ? place.deliver(done.text)
                        : write_all(STDOUT_FILENO, done.text, "standard output"));
  return done.exit_code;
}

}  // namespace
}  // namespace onefold::program

int main(int argc, char** argv) {
  using namespace onefold::program;
  guard_standard_streams();
  const bool json = asks_for_json(argc, argv);
  try {
    return story(argc, argv);
  } catch (const failure& why) {
    return print(why, json);
  } catch (const onefold::error& why) {
    return print(failure(why.why()), json);
  } catch (const std::bad_alloc&) {
    return print(failure(messages::out_of_memory()), json);
  } catch (const std::exception& unexpected) {
    return print(failure(messages::internal(unexpected.what())), json);
  }
}
