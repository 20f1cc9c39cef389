// SPDX-License-Identifier: Apache-2.0
#include "ladder/commands/command_line.hpp"

#include "ladder/commands/climb.hpp"
#include "ladder/commands/gpu_climb.hpp"
#include "ladder/commands/report_command.hpp"
#include "ladder/commands/selection.hpp"
#include "ladder/commands/try_command.hpp"
#include "ladder/page/explain.hpp"
#include "ladder/page/page_json.hpp"
#include "ladder/page/page_text.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <stdexcept>

namespace onefold::ladder {
namespace {

enum exit_code { as_expected = 0, failed = 1, usage = 2 };

struct request {
  trial_options options;
  std::string type, order = "forward", op = "sum", drive = "host";
  std::vector<std::string> names;
  std::set<std::string> given;  ///< options that the user wrote
  std::string file;             ///< of the report
  std::string gpu = "auto";
  std::size_t gpu_n = usual_gpu_n;
  bool json = false;
};

struct choice {
  const char* option;
  void (*take)(trial_options& to, const trial_options& from);
};

using any = trial_options;
constexpr choice choices[] = {
    {"--n", [](any& to, const any& from) { to.n = from.n; }},
    {"--block", [](any& to, const any& from) { to.block = from.block; }},
    {"--type", [](any& to, const any& from) { to.type = from.type; }},
    {"--op", [](any& to, const any& from) { to.op = from.op; }},
    {"--driver", [](any& to, const any& from) { to.drive = from.drive; }},
    {"--max-grid", [](any& to, const any& from) { to.max_grid = from.max_grid; }},
    {"--width", [](any& to, const any& from) { to.width = from.width; }},
    {"--height", [](any& to, const any& from) { to.height = from.height; }},
    {"--padding", [](any& to, const any& from) { to.padding = from.padding; }},
    {"--schedule", [](any& to, const any& from) { to.order = from.order; }},
    {"--seed", [](any& to, const any& from) { to.seed = from.seed; }},
    {"--warp", [](any& to, const any& from) { to.warp = from.warp; }}};

/// The rung's usual options but for what the user wrote: a twin shows its defect unasked.
trial_options options_for(const rung& r, const request& asked) {
  trial_options options = usual_options(r);
  for (const choice& c : choices) {
    if (asked.given.contains(c.option)) c.take(options, asked.options);
  }
  return options;
}

void note_given(const CLI::App& command, request& asked) {
  for (const CLI::Option* option : command.get_options()) {
    if (option->count() != 0) asked.given.insert(option->get_name());
  }
}

selection selected(const request& asked, bool uncompiled) {
  return select(
      asked.names, [&asked](const rung& r) { return options_for(r, asked); }, uncompiled);
}

program_answer list_rungs(const request& asked) {
  return {asked.json ? list_json() : list_text(), "", as_expected};
}

/// The climb on this machine's GPU, unless there is none or none is wanted.
std::optional<gpu_climb> climb_on_gpu(const selection& chosen, const request& asked) {
  const bool wanted = asked.gpu == "on" || (asked.gpu == "auto" && find_gpu().found);
  if (!wanted) return std::nullopt;
  const bool only_n = asked.given.contains("--n") && !asked.given.contains("--gpu-n");
  return climb_on_gpu(chosen.steps, only_n ? asked.options.n : asked.gpu_n);
}

std::string run_text(const std::vector<climb_result>& results, const gpu_climb* gpu,
                     const selection& chosen, const request& asked) {
  std::string text = climb_text(results);
  for (const std::string& why : chosen.left_out) text += fmt::format("left out: {}\n", why);
  if (gpu != nullptr) return text + gpu_climb_text(*gpu);
  return asked.gpu == "off" ? text : fmt::format("{}\n{}\n", text, find_gpu().why_not);
}

program_answer run_rungs(const request& asked) {
  const selection chosen = selected(asked, false);
  const auto gpu = climb_on_gpu(chosen, asked);
  const gpu_climb* timed = gpu ? &*gpu : nullptr;
  const auto results = climb(chosen.steps);
  const bool good = std::ranges::all_of(results, &climb_result::as_expected) &&
                    (timed == nullptr || timed->all_right());
  const std::string text =
      asked.json ? climb_json(results, timed) : run_text(results, timed, chosen, asked);
  return {text, "", good ? as_expected : failed};
}

program_answer explain_rung(const request& asked) {
  const climb_step step = selected(asked, true).steps.front();
  trials done;
  const page shown = explain(*step.step, {step.options}, done);
  const std::string text = asked.json ? page_json(shown) : page_text(shown);
  return {text, "", shown.as_expected() ? as_expected : failed};
}

program_answer report_rungs(const request& asked) {
  return answer_report({asked.file, asked.json}, selected(asked, true));
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

void add_gpu_options(CLI::App& command, request& asked) {
  command.add_option("--gpu", asked.gpu, "Time the rungs on this machine's GPU too")
      ->check(CLI::IsMember({"auto", "on", "off"}))
      ->capture_default_str();
  command.add_option("--gpu-n", asked.gpu_n, "Elements there (default: --n, or 2^26)");
}

/// The commands, and what answers each.
struct commands {
  commands(CLI::App& app, request& asked, try_request& kernel);

  program_answer answer(const request& asked, const try_request& kernel) const;

  CLI::App *list, *run, *explain, *report, *try_one;
};

commands::commands(CLI::App& app, request& asked, try_request& kernel)
    : list(app.add_subcommand("list", "Name every rung and its idea")),
      run(app.add_subcommand("run", "Run rungs and count what they do")),
      explain(app.add_subcommand("explain", "Explain one rung by its counts")),
      report(app.add_subcommand("report", "Write all pages, with pictures, as one HTML file")),
      try_one(add_try_command(app, kernel)) {
  run->add_option("RUNG", asked.names, "Rungs to run (default: all)");
  explain->add_option("RUNG", asked.names, "Rung to explain")->required()->expected(1);
  report->add_option("RUNG", asked.names, "Rungs to show (default: all)");
  report->add_option("-o", asked.file, "File to write (default: onefold-ladder.html)");
  add_gpu_options(*run, asked);
  for (CLI::App* command : {run, explain, report}) {
    add_size_options(*command, asked);
    add_schedule_options(*command, asked);
  }
  for (CLI::App* command : {list, run, explain}) {
    command->add_flag("--json", asked.json, "Print everything as JSON");
  }
  report->add_flag("--json", asked.json, "Write the data of the pages as JSON instead");
}

program_answer commands::answer(const request& asked, const try_request& kernel) const {
  if (try_one->parsed()) return answer_try(kernel);
  if (list->parsed()) return list_rungs(asked);
  if (report->parsed()) return report_rungs(asked);
  return run->parsed() ? run_rungs(asked) : explain_rung(asked);
}

/// What CLI11 leaves as words, as values; and which options were written at all.
void read_words(const commands& all, request& asked) {
  if (!asked.type.empty()) asked.options.type = types.at(asked.type);
  asked.options.op = operations.at(asked.op);
  asked.options.drive = drivers.at(asked.drive);
  asked.options.order = orders.at(asked.order);
  for (const CLI::App* command : {all.run, all.explain, all.report}) note_given(*command, asked);
}

program_answer parse_and_run(int argc, const char* const* argv) {
  request asked;
  try_request kernel;
  CLI::App app("The textbook GPU reductions, run on a CPU, counted and explained.",
               "onefold-ladder");
  app.require_subcommand(1);
  const commands all(app, asked, kernel);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    std::ostringstream out, complaint;
    const bool help = app.exit(error, out, complaint) == 0;
    return {out.str(), complaint.str(), help ? as_expected : usage};
  }
  read_words(all, asked);
  return all.answer(asked, kernel);
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
