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
#include "ranks/ranks.hpp"
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

int print(const failure& why, bool json, const ranks* all) {
  print_failure(why);
  if (all != nullptr && !all->first()) return why.exit_code();
  if (json && !why.why().message().empty())
    static_cast<void>(write_all(STDOUT_FILENO, write_json_error(why), ""));
  return why.exit_code();
}

request parse(int argc, char** argv, ranks* all) {
  if (all == nullptr) {
    request alone = parse_command_line(argc, argv);
    if (alone.asks_for_ranks)
      throw failure(messages::bad_usage("--ranks takes no value", alone.word));
    return alone;
  }
  if (!all->first()) silence_complaints();
  check_same_words(*all, argc, argv);
  request parsed = on_all(*all, {}, [&] { return parse_command_line(argc, argv); });
  parsed.ranks = all;
  return parsed;
}

output open_output(const request& request) {
  if (request.output_path) require(check_not_an_input(*request.output_path, request.files()));
  return require(output::open(request.output_path));
}

// Where the report goes; of ranks the first has one.
std::optional<output> output_of(const request& request) {
  if (request.ranks == nullptr) return open_output(request);
  return on_all(*request.ranks, {}, [&] {
    return request.ranks->first() ? std::optional(open_output(request)) : std::nullopt;
  });
}

int story(int argc, char** argv, ranks* all) {
  const request request = parse(argc, argv, all);
  // A program that replaces this process inherits the original signal handling.
  const bool leaves = request.command == command::ladder || request.command == command::tour;
  if (!leaves) watch_interrupts();
  std::optional<output> place = output_of(request);
  const outcome done = run(request);
  if (!place) return done.exit_code;
  require(done.answered ? place->deliver(done.text)
                        : write_all(STDOUT_FILENO, done.text, "standard output"));
  return done.exit_code;
}

}  // namespace
}  // namespace onefold::program

int main(int argc, char** argv) {
  using namespace onefold::program;
  guard_standard_streams();
  const bool json = asks_for_json(argc, argv);
  std::unique_ptr<ranks> all;
  try {
    if (asks_for_ranks(argc, argv)) all = join_ranks();
    return story(argc, argv, all.get());
  } catch (const failure& why) {
    return print(why, json, all.get());
  } catch (...) {
    const int code = print(failure(thrown_status()), json, all.get());
    if (all) all->end_job(code);  // the other ranks have no error
    return code;
  }
}
