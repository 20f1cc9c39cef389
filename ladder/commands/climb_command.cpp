// SPDX-License-Identifier: Apache-2.0
#include "ladder/commands/climb_command.hpp"

#include "ladder/gpu/gpu.hpp"
#include "ladder/page/text.hpp"
#include "ladder/rung/recorded_json.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace onefold::ladder {
namespace {

constexpr int schema = 1;
constexpr unsigned bar_width = 24;

using file_json = nlohmann::ordered_json;

std::string text_of(const std::string& file) {
  std::ifstream in(file);
  std::ostringstream text;
  if (!(text << in.rdbuf())) {
    throw std::invalid_argument(fmt::format("cannot read '{}'; name a file of --json", file));
  }
  return text.str();
}

void write(const std::string& file, const std::string& text,
           std::ios::openmode mode = std::ios::trunc) {
  std::ofstream out(file, std::ios::out | mode);
  if (!(out << text << std::flush)) {
    throw std::runtime_error(
        fmt::format("cannot write '{}'; name a file in a folder that exists and is yours", file));
  }
}

climb_step_time step_of(const file_json& row) {
  climb_step_time s;
  row.at("name").get_to(s.name);
  row.at("median_us").get_to(s.median_us);
  row.at("first_quartile_us").get_to(s.first_quartile_us);
  row.at("third_quartile_us").get_to(s.third_quartile_us);
  row.at("answers").get_to(s.answers);
  row.at("largest_ulps").get_to(s.largest_ulps);
  if (!(s.median_us > 0)) throw std::invalid_argument("a step without a time");
  return s;
}

/// 0, 0.5, 42, 1.3e+06
std::string error_text(double ulps) {
  return ulps < 1e5 ? fmt::format("{:.3g}", ulps) : fmt::format("{:.1e}", ulps);
}

std::string page_of(const climb_step_time& s) {
  std::string rung = s.name;
  if (rung == "onefold exact") rung = "reduce/exact";
  if (rung == "CUB reproducible") rung = "reduce/vendor";
  return find_rung(rung) != nullptr ? "explain " + rung : "";
}

/// The run to show, and where it comes from, or nothing if it was made now.
std::pair<whole_climb, std::string> run_to_show(const whole_climb_request& request) {
  if (!request.recorded.empty()) {
    return {whole_climb_of(text_of(request.recorded), request.recorded),
            fmt::format("recorded: {}\n", request.recorded)};
  }
  const gpu_search& search = find_gpu();
  if (search.found) return {climb_whole(whole_climb_n, whole_climb_shuffles), ""};
  return {whole_climb_of(recorded_climb_json, "the recorded run"),
          fmt::format("recorded, not run here: {}\n", search.why_not)};
}

}  // namespace

CLI::App* add_climb_command(CLI::App& app, whole_climb_request& request) {
  CLI::App* const command = app.add_subcommand(
      "climb", "Sum 1 GiB of floats on a GPU, from one atomic an element to the exact sum");
  command->add_option("--json", request.json, "Write the run to this file as well");
  command->add_option("--recorded", request.recorded, "Show the run of this file, run nothing");
  return command;
}

std::string to_json_text(const whole_climb& climb) {
  file_json page = {{"schema", schema},
                    {"gpu", climb.gpu},
                    {"driver", climb.driver},
                    {"runtime", climb.runtime},
                    {"date", climb.date},
                    {"n", climb.n},
                    {"type", "float"},
                    {"shuffles", climb.shuffles},
                    {"reading_us", climb.reading_us},
                    {"steps", file_json::array()},
                    {"left_out", climb.left_out}};
  for (const climb_step_time& s : climb.steps) {
    page["steps"].push_back({{"name", s.name},
                             {"median_us", s.median_us},
                             {"first_quartile_us", s.first_quartile_us},
                             {"third_quartile_us", s.third_quartile_us},
                             {"answers", s.answers},
                             {"largest_ulps", s.largest_ulps}});
  }
  return page.dump(1) + "\n";
}

whole_climb whole_climb_of(std::string_view text, std::string_view source) {
  try {
    const auto page = file_json::parse(text);
    if (page.at("schema") != schema) throw std::invalid_argument("another schema");
    whole_climb climb;
    page.at("gpu").get_to(climb.gpu);
    page.at("driver").get_to(climb.driver);
    page.at("runtime").get_to(climb.runtime);
    page.at("date").get_to(climb.date);
    page.at("n").get_to(climb.n);
    page.at("shuffles").get_to(climb.shuffles);
    page.at("reading_us").get_to(climb.reading_us);
    page.at("left_out").get_to(climb.left_out);
    for (const auto& row : page.at("steps")) climb.steps.push_back(step_of(row));
    if (page.at("n") <= 0 || !(climb.reading_us > 0) || climb.steps.empty()) {
      throw std::invalid_argument("no elements, no time of reading or no steps");
    }
    return climb;
  } catch (const std::exception& error) {
    throw std::invalid_argument(fmt::format(
        "'{}' is no run of the climb: {}; write one by climb --json", source, error.what()));
  }
}

std::string to_text(const whole_climb& climb) {
  text_table table({{"step", align::left},
                    {"GB/s", align::right},
                    {"of reading", align::right},
                    {"", align::left},
                    {"largest error, ulps", align::right},
                    {"answers", align::right},
                    {"page", align::left}});
  for (const climb_step_time& s : climb.steps) {
    const double share = climb.of_reading(s);
    const auto length = static_cast<std::size_t>(
        std::lround(std::clamp(share, 0.0, 1.0) * static_cast<double>(bar_width)));
    table.add({s.name, fmt::format("{:.0f}", climb.gigabytes_a_second(s)),
               fmt::format("{:.3f}", share), std::string(length, '#'), error_text(s.largest_ulps),
               fmt::format("{}", s.answers), page_of(s)});
  }
  std::string text = fmt::format(
      "{}, driver {}, CUDA {}, {}: the sum of {} floats from -1 to 1, {:.2f} GiB\n\n{}\n"
      "a bar of {} is plain reading, {:.0f} GB/s; errors and answers: over {} orders of the same\n"
      "elements, in ulps of the exact sum rounded once\n",
      climb.gpu, climb.driver, climb.runtime, climb.date, climb.n, climb.bytes() / 0x1p30,
      table.text(), bar_width, climb.bytes() / climb.reading_us * 1e-3, climb.shuffles);
  for (const std::string& why : climb.left_out) text += fmt::format("left out: {}\n", why);
  return text;
}

program_answer answer_climb(const whole_climb_request& request) {
  // Before some seconds of a GPU are lost; what is there stays until there is a run.
  if (!request.json.empty()) write(request.json, "", std::ios::app);
  const auto [climb, source] = run_to_show(request);
  if (!request.json.empty()) write(request.json, to_json_text(climb));
  return {source + to_text(climb), "", 0};
}

}  // namespace onefold::ladder
