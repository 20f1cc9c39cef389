// SPDX-License-Identifier: Apache-2.0
#include "ladder/commands/command_line.hpp"

#include "ladder/commands/climb.hpp"
#include "ladder/page/explain.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <map>
#include <sstream>
#include <stdexcept>

namespace onefold::ladder {
namespace {

enum exit_code { as_expected = 0, failed = 1, usage = 2 };

struct request {
  trial_options options;
  std::string type, order = "forward", op = "sum", drive = "host";
  std::vector<std::string> names;
  bool json = false;
};

/// Fails: std::invalid_argument that lists the rungs there are.
const rung& rung_named(const std::string& name) {
  if (const rung* found = find_rung(name)) return *found;
  std::string known;
  for (const rung& r : all_rungs()) known += fmt::format("\n  {}", r.name);
  throw std::invalid_argument(fmt::format("no rung is called '{}'; there are:{}", name, known));
}

std::vector<const rung*> rungs_named(const std::vector<std::string>& names) {
  std::vector<const rung*> chosen;
  for (const std::string& name : names) chosen.push_back(&rung_named(name));
  if (!names.empty()) return chosen;
  for (const rung& r : all_rungs()) chosen.push_back(&r);
  return chosen;
}

trial_options options_for(const rung& r, const request& asked) {
  trial_options options = asked.options;
  if (asked.type.empty()) options.type = usual_type(r);
  return options;
}

program_answer run_rungs(const request& asked) {
  const auto chosen = rungs_named(asked.names);
  std::vector<climb_step> steps;
  for (const rung* r : chosen) steps.push_back({r, options_for(*r, asked)});
  const auto results = climb(steps);
  const bool good = std::all_of(results.begin(), results.end(),
                                [](const climb_result& r) { return r.as_expected(); });
  const std::string text = asked.json ? climb_json(results) : climb_text(results);
  return {text, "", good ? as_expected : failed};
}

program_answer explain_rung(const request& asked) {
  const rung& r = rung_named(asked.names.front());
  const explanation page = explain(r, options_for(r, asked));
  return {page.text, "", page.as_expected ? as_expected : failed};
}

const std::map<std::string, element> types = {{"int", element::int32},
                                              {"float", element::float32},
                                              {"double", element::float64},
                                              {"u8", element::uint8}};

const std::map<std::string, operation> operations = {{"sum", operation::sum},
                                                     {"product", operation::product},
                                                     {"max", operation::maximum},
                                                     {"min", operation::minimum}};

const std::map<std::string, driver> drivers = {
    {"host", driver::host}, {"second-launch", driver::second_launch}, {"passes", driver::passes}};

const std::map<std::string, simt::schedule> orders = {{"forward", simt::schedule::forward},
                                                      {"reverse", simt::schedule::reverse},
                                                      {"shuffled", simt::schedule::shuffled},
                                                      {"lockstep", simt::schedule::lockstep}};

void add_size_options(CLI::App& command, request& asked) {
  command.add_option("--n", asked.options.n, "Elements, or about so many pixels")
      ->capture_default_str();
  command
      .add_option("--block", asked.options.block, "Threads of a block, a power of two up to 1024")
      ->capture_default_str();
  command.add_option("--type", asked.type, "Type of the elements (default: the rung's usual one)")
      ->check(CLI::IsMember(types));
  command.add_option("--op", asked.op, "Operator")
      ->check(CLI::IsMember(operations))
      ->capture_default_str();
  command.add_option("--driver", asked.drive, "Who folds the partials of the blocks")
      ->check(CLI::IsMember(drivers))
      ->capture_default_str();
  command.add_option("--max-grid", asked.options.max_grid, "Blocks of a grid-stride rung")
      ->capture_default_str();
  command.add_option("--width", asked.options.width, "Of an image (default: about square)");
  command.add_option("--height", asked.options.height, "Of an image (default: n / width)");
  command.add_option("--padding", asked.options.padding, "Bytes behind each row of a tile")
      ->capture_default_str();
}

void add_schedule_options(CLI::App& command, request& asked) {
  command.add_option("--schedule", asked.order, "Order in which lanes run")
      ->check(CLI::IsMember(orders))
      ->capture_default_str();
  command.add_option("--seed", asked.options.seed, "Of the shuffled schedule")
      ->capture_default_str();
  command.add_option("--warp", asked.options.warp, "Lanes of a warp, a power of two up to 32")
      ->capture_default_str();
}

program_answer parse_and_run(int argc, const char* const* argv) {
  request asked;
  CLI::App app("The textbook GPU reductions, run on a CPU, counted and explained.",
               "onefold-ladder");
  app.require_subcommand(1);
  CLI::App* list = app.add_subcommand("list", "Name every rung and its idea");
  CLI::App* run = app.add_subcommand("run", "Run rungs and count what they do");
  run->add_option("RUNG", asked.names, "Rungs to run (default: all)");
  CLI::App* page = app.add_subcommand("explain", "Explain one rung by its counts");
  page->add_option("RUNG", asked.names, "Rung to explain")->required()->expected(1);
  for (CLI::App* command : {run, page}) add_size_options(*command, asked);
  add_schedule_options(*run, asked);
  run->add_flag("--json", asked.json, "Print everything as JSON");

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    std::ostringstream out, complaint;
    const bool help = app.exit(error, out, complaint) == 0;
    return {out.str(), complaint.str(), help ? as_expected : usage};
  }
  if (!asked.type.empty()) asked.options.type = types.at(asked.type);
  asked.options.op = operations.at(asked.op);
  asked.options.drive = drivers.at(asked.drive);
  asked.options.order = orders.at(asked.order);
  if (list->parsed()) return {list_text(), "", as_expected};
  return run->parsed() ? run_rungs(asked) : explain_rung(asked);
}

}  // namespace

program_answer answer_command_line(int argc, const char* const* argv) {
  try {
    return parse_and_run(argc, argv);
  } catch (const std::invalid_argument& error) {
    return {"", fmt::format("onefold-ladder: {}\n", error.what()), usage};
  } catch (const std::exception& error) {
    return {"", fmt::format("onefold-ladder: {}\n", error.what()), failed};
  }
}

}  // namespace onefold::ladder
