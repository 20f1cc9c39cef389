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

outcome run(const request& asked) {
  switch (asked.what) {
  case command::reduce:
    return run_reduce(asked);
  case command::stats:
    return run_stats(asked);
  case command::plan:
    return run_plan(asked);
  case command::doctor:
    return run_doctor(asked);
  case command::fingerprint:
    return run_fingerprint(asked);
  case command::ladder:
  case command::tour:
    run_sibling(asked);
  case command::help:
    return {help_text(asked.words.empty() ? "" : asked.words[0])};
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
  const request asked = parse_command_line(argc, argv);
  // A program that replaces this process inherits the original signal handling.
  const bool leaves = asked.what == command::ladder || asked.what == command::tour;
  if (!leaves) watch_interrupts();
  if (asked.output_path) require(check_not_an_input(*asked.output_path, asked.files()));
  output place = require(output::open(asked.output_path));
  const outcome done = run(asked);
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
