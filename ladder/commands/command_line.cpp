// SPDX-License-Identifier: Apache-2.0
#include "ladder/commands/command_line.hpp"

#include "ladder/commands/climb.hpp"
#include "ladder/commands/climb_command.hpp"
#include "ladder/commands/learn_command.hpp"
#include "ladder/commands/mark_command.hpp"
#include "ladder/commands/report_command.hpp"
#include "ladder/commands/request.hpp"
#include "ladder/commands/selection.hpp"
#include "ladder/commands/source_command.hpp"
#include "ladder/commands/try_command.hpp"
#include "ladder/page/explain.hpp"
#include "ladder/page/page_json.hpp"
#include "ladder/page/page_text.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <sstream>
#include <stdexcept>

namespace onefold::ladder {
namespace {

enum exit_code { as_expected = 0, failed = 1, usage = 2 };

selection selected(const request& request, bool uncompiled) {
  return select(
      request.names, [&request](const rung& r) { return options_for(r, request); }, uncompiled);
}

program_answer list_rungs(const request& request) {
  return {request.json ? list_json() : list_text(), "", as_expected};
}

/// The climb on this machine's GPU, unless there is none or none is wanted.
std::optional<gpu_climb> climb_on_gpu(const selection& chosen, const request& request) {
  const bool wanted = request.gpu == "on" || (request.gpu == "auto" && find_gpu().found);
  if (!wanted) return std::nullopt;
  const bool only_n = request.given.contains("--n") && !request.given.contains("--gpu-n");
  return climb_on_gpu(chosen.steps, only_n ? request.options.n : request.gpu_n);
}

std::string run_text(const std::vector<climb_result>& results, const gpu_climb* gpu,
                     const selection& chosen, const request& request) {
  std::string text = climb_text(results);
  for (const std::string& why : chosen.left_out) text += fmt::format("left out: {}\n", why);
  if (gpu != nullptr) return text + gpu_climb_text(*gpu);
  return request.gpu == "off" ? text : fmt::format("{}\n{}\n", text, find_gpu().why_not);
}

program_answer run_rungs(const request& request) {
  const selection chosen = selected(request, false);
  const auto gpu = climb_on_gpu(chosen, request);
  const gpu_climb* timed = gpu ? &*gpu : nullptr;
  const auto results = climb(chosen.steps);
  const bool good = std::ranges::all_of(results, &climb_result::as_expected) &&
                    (timed == nullptr || timed->all_right());
  const std::string text =
      request.json ? climb_json(results, timed) : run_text(results, timed, chosen, request);
  return {text, "", good ? as_expected : failed};
}

program_answer explain_rung(const request& request) {
  const climb_step step = selected(request, true).steps.front();
  trials done;
  const page shown = explain(*step.step, {step.options}, done);
  const std::string text = request.json ? page_json(shown) : page_text(shown);
  return {text, "", shown.as_expected() ? as_expected : failed};
}

program_answer report_rungs(const request& request) {
  return answer_report({request.file, request.json}, selected(request, true));
}

/// The commands, and what answers each.
struct commands {
  commands(CLI::App& app, request& request, try_request& kernel);

  program_answer answer(const request& request, const try_request& kernel) const;

  CLI::App *list, *run, *explain, *report, *try_one;
};

commands::commands(CLI::App& app, request& request, try_request& kernel)
    : list(app.add_subcommand("list", "Name every rung and its idea")),
      run(app.add_subcommand("run", "Run rungs and count what they do")),
      explain(app.add_subcommand("explain", "Explain one rung by its counts")),
      report(app.add_subcommand("report", "Write the course, with pictures, as HTML")),
      try_one(add_try_command(app, kernel)) {
  run->add_option("RUNG", request.names, "Rungs to run (default: all)");
  explain->add_option("RUNG", request.names, "Rung to explain")->required()->expected(1);
  report->add_option("RUNG", request.names, "Rungs to show (default: all)");
  report->add_option("-o", request.file,
                     "FILE.html, or a folder of pages (default: onefold-ladder.html)");
  add_gpu_options(*run, request);
  for (CLI::App* command : {run, explain, report}) {
    add_size_options(*command, request);
    add_schedule_options(*command, request);
  }
  for (CLI::App* command : {list, run, explain}) {
    command->add_flag("--json", request.json, "Print everything as JSON");
  }
  report->add_flag("--json", request.json, "Write the data of the pages as JSON instead");
}

program_answer commands::answer(const request& request, const try_request& kernel) const {
  if (try_one->parsed()) return answer_try(kernel);
  if (list->parsed()) return list_rungs(request);
  if (report->parsed()) return report_rungs(request);
  return run->parsed() ? run_rungs(request) : explain_rung(request);
}

program_answer parse_and_run(int argc, const char* const* argv) {
  request request;
  try_request kernel;
  CLI::App app("The textbook GPU reductions, run on a CPU, counted and explained.",
               "onefold-ladder");
  app.require_subcommand(1);
  const commands all(app, request, kernel);
  learn_request lesson;
  std::string printed;
  const CLI::App* const learn = add_learn_command(app, lesson, argv[0]);
  const CLI::App* const source = add_source_command(app, printed);
  mark_request marking;
  const CLI::App* const mark = add_mark_command(app, marking);
  whole_climb_request whole;
  const CLI::App* const climbed = add_climb_command(app, whole);
  if (argc < 2) return {app.help(), "", as_expected};
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    std::ostringstream out, complaint;
    const bool help = app.exit(error, out, complaint) == 0;
    return {out.str(), complaint.str(), help ? as_expected : usage};
  }
  if (learn->parsed()) return answer_learn_command(*learn, lesson);
  if (source->parsed()) return answer_source(printed);
  if (mark->parsed()) return answer_mark(marking);
  if (climbed->parsed()) return answer_climb(whole);
  read_words(request);
  for (const CLI::App* command : {all.run, all.explain, all.report}) note_given(*command, request);
  return all.answer(request, kernel);
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
