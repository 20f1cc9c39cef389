// SPDX-License-Identifier: Apache-2.0
#include "ladder/commands/try_command.hpp"

#include "ladder/learn/compare.hpp"
#include "ladder/learn/letters.hpp"
#include "ladder/rung/rung.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <stdexcept>

namespace onefold::ladder {
namespace {

constexpr const char* usual_rung = "reduce/sequential";
constexpr const char* no_rung = "none";

/// Fails: std::invalid_argument that lists the rungs that reduce one array.
void check_rung(const std::string& name) {
  std::string known;
  for (const rung& r : all_rungs()) {
    if (r.kind != work::reduce || !r.under_executor()) continue;
    if (r.name == name) return;
    known += fmt::format("\n  {}", r.name);
  }
  throw std::invalid_argument(
      fmt::format("--compare {}: use none, or a rung that reduces one array:{}", name, known));
}

/// "16", "16,8" or "16,8,2"; x in place of a comma will do.
/// Fails: CLI::ValidationError.
try_shape shape_named(std::string word) {
  std::replace(word.begin(), word.end(), 'x', ',');
  std::array<unsigned, 3> extents = {1, 1, 1};
  std::size_t count = 0;
  const char* at = word.data();
  const char* const end = at + word.size();
  while (count < extents.size()) {
    const auto [next, error] = std::from_chars(at, end, extents[count++]);
    if (error != std::errc{}) break;
    if (next == end) return {extents[0], extents[1], extents[2]};
    if (*next != ',') break;
    at = next + 1;
  }
  throw CLI::ValidationError(word + ": use one to three numbers, as 16,16");
}

/// What is said of it.
std::string written_picture(const try_report& report, const std::string& file) {
  if (file.empty()) return "";
  if (report.picture.empty()) {
    return "no picture: a fold of int, float, double or unsigned char in memory is drawn, with a "
           "block of any size; shuffles are not\n";
  }
  std::ofstream stream(file);
  stream << report.picture;
  stream.close();
  if (!stream) throw std::invalid_argument(fmt::format("--picture {}: cannot be written", file));
  return fmt::format("picture: {}\n", file);
}

void add_shape(CLI::App& command, const std::string& name, std::optional<try_shape>& shape,
               const std::string& help) {
  command.add_option_function<std::string>(
      name, [&shape](const std::string& word) { shape = shape_named(word); }, help);
}

}  // namespace

CLI::App* add_try_command(CLI::App& app, try_request& request) {
  try_options& o = request.options;
  o.rung = usual_rung;
  CLI::App* command = app.add_subcommand("try", "Compile, run and check a kernel of your own");
  command->add_option("FILE", o.file, "CUDA source with the kernel")->required();
  command->add_option("--kernel", o.kernel, "Its name, or as 'my_sum<float, 256>'");
  command->add_option("--expect", o.expect,
                      "What it computes: sum, product, max, min, dot, add, transpose, rows, "
                      "columns, argmax, argmin, fields, or the answer in a .npy (default: a "
                      "guess, which is said)");
  command->add_option("--n", o.n, "Elements; shorter lengths are tried, too (default: 16384)");
  add_shape(*command, "--shape", o.shape, "Width and height of a matrix, as 128,96");
  add_shape(*command, "--block", o.block,
            "Threads of a block, as 256 or 16,16 (default: several, the first by the text)");
  add_shape(*command, "--grid", o.grid,
            "Blocks, as 64 or 4,4 (default: one element a lane, or what is right)");
  command->add_option("--shared", o.shared_bytes,
                      "Bytes of dynamic shared memory (default: one element a lane)");
  command->add_option("--type", o.type, "Elements of a template: int, float, double, ...");
  command->add_option("--op", o.op, "Of --expect sum, rows, ...: sum, product, max or min");
  command->add_option("--schedule", o.schedule, "all, or one order in which lanes run")
      ->capture_default_str();
  command->add_option("--args", o.arguments,
                      "What the parameters are, as in,out,scratch,n,flag, or in,in,out, or "
                      "inout,width,height, or a number "
                      "(default: by what a first launch reads and writes, then by names)");
  command->add_option("--compare", o.rung, "Rung whose counts to show beside, or none")
      ->capture_default_str();
  command->add_option("--verify", o.verify,
                      "Type of the answer: judge more launches, on random elements, outside the "
                      "process of the kernel");
  command
      ->add_option("--limit", o.limit_s,
                   "Seconds of a processor for all launches (default: 4 and more for a large n)")
      ->check(CLI::PositiveNumber);
  command->add_option("--picture", request.picture,
                      "Write a picture of which elements fold when, as FILE.svg");
  command->add_flag("--json", request.json, "Print everything as JSON");
  add_program_options(*command, request.program);
  return command;
}

program_answer answer_try(const try_request& request) {
  if (request.program.whole) {
    return answer_program(request.program,
                          {.file = request.options.file,
                           .schedule = request.options.schedule,
                           .limit_s = request.options.limit_s},
                          request.json);
  }
  check_no_arguments(request.program);
  try_options options = request.options;
  if (options.rung == no_rung) options.rung.clear();
  if (!options.rung.empty()) check_rung(options.rung);
  options.compare = counts_of_rung;
  if (!request.picture.empty()) options.draw = draw_letters;
  const try_report report = try_kernel(options);
  const std::string picture = written_picture(report, request.picture);
  if (request.json) return {json_of(report), "", report.exit_code()};
  const bool refused = report.state == try_state::refused;
  const std::string text = text_of(report) + picture;
  return {refused ? "" : text, refused ? text : "", report.exit_code()};
}

}  // namespace onefold::ladder
