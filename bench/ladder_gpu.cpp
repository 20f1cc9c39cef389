// SPDX-License-Identifier: Apache-2.0
// The ladder on a GPU: `ladder_gpu sweep` times every rung over sizes CUB's among them, beside
// the ceiling of reading; `ladder_gpu launch` starts every rung once, for a profiler. JSON on
// stdout.

#include "ladder/gpu/gpu.hpp"

#include <CLI/CLI.hpp>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstdio>
#include <ctime>
#include <stdexcept>

namespace onefold::ladder {
namespace {

using json = nlohmann::ordered_json;

struct sweep_options {
  unsigned smallest = 10, largest = 28, step = 2;  ///< exponents of two
  unsigned block = 256;
};

/// The repaired rungs: a published defect runs nowhere but under the executor.
std::vector<const rung*> rungs() {
  std::vector<const rung*> list;
  for (const rung& r : all_rungs()) {
    if (!r.published) list.push_back(&r);
  }
  return list;
}

json machine() {
  const gpu_search& search = find_gpu();
  if (!search.found) throw std::runtime_error(search.why_not);
  const gpu& g = *search.found;
  return {{"gpu", g.name},
          {"multiprocessors", g.multiprocessors},
          {"driver", g.driver},
          {"runtime", g.runtime}};
}

std::string today() {
  return fmt::format("{:%Y-%m-%d}", fmt::gmtime(std::time(nullptr)));
}

json row(std::string_view name, element type, std::size_t n, const gpu_trial& t) {
  return {{"rung", name},
          {"type", to_string(type)},
          {"n", n},
          {"grid", t.grid},
          {"right", t.outcome.right},
          {"bytes", t.bytes},
          {"median_us", t.times.median_us},
          {"first_quartile_us", t.times.first_quartile_us},
          {"third_quartile_us", t.times.third_quartile_us}};
}

void add_ceiling(json& rows, element type, std::size_t n) {
  if (type == element::uint8) return;
  rows.push_back(row("read", type, n, measure_reading(type, n)));
}

void add_rungs(json& rows, element type, std::size_t n, const sweep_options& options) {
  trial_options at;
  at.n = n;
  at.block = options.block;
  at.type = type;
  for (const rung* r : rungs()) {
    if (has_gpu_kernel(*r, at)) rows.push_back(row(r->name, type, n, try_on_gpu(*r, at)));
  }
}

json sweep(const sweep_options& options) {
  json page = {{"schema", 1},
               {"machine", machine()},
               {"date", today()},
               {"block", options.block},
               {"rows", json::array()}};
  // Rung after rung has the same input, which is then made once (reduce_case_of).
  for (const element type : all_types) {
    for (unsigned e = options.smallest; e <= options.largest; e += options.step) {
      std::fprintf(stderr, "%s, 2^%u\n", to_string(type), e);
      add_ceiling(page["rows"], type, std::size_t{1} << e);
      add_rungs(page["rows"], type, std::size_t{1} << e, options);
    }
  }
  return page;
}

/// In the order of their launches: a profiler's rows follow it.
json launch(const trial_options& options) {
  json page = {{"schema", 1},    {"machine", machine()},   {"date", today()},
               {"n", options.n}, {"block", options.block}, {"rungs", json::array()}};
  for (const rung* r : rungs()) {
    if (!r->under_executor()) continue;  // no counts to set the profiler's against
    trial_options launch = options;
    launch.type = usual_type(*r);
    const answer got = run_on_gpu(*r, launch);
    if (!got.right) {
      throw std::runtime_error(
          fmt::format("{}: the answer is {}, not {}", r->name, got.got, got.expected));
    }
    page["rungs"].push_back({{"rung", r->name}, {"type", to_string(launch.type)}});
  }
  return page;
}

int command(int argc, char** argv) {
  sweep_options sizes;
  trial_options once;
  CLI::App app("The ladder on a GPU, timed or profiled.", "ladder_gpu");
  app.require_subcommand(1);
  CLI::App* timed = app.add_subcommand("sweep", "Time every rung over sizes");
  timed->add_option("--smallest", sizes.smallest, "Exponent of two")->capture_default_str();
  timed->add_option("--largest", sizes.largest, "Exponent of two")->capture_default_str();
  timed->add_option("--step", sizes.step, "Of the exponent")->capture_default_str();
  CLI::App* single = app.add_subcommand("launch", "Start every rung once");
  single->add_option("--n", once.n, "Elements")->capture_default_str();
  for (CLI::App* command : {timed, single}) {
    command->add_option("--block", sizes.block, "Threads of a block")->capture_default_str();
  }
  CLI11_PARSE(app, argc, argv);
  once.block = sizes.block;
  std::puts((timed->parsed() ? sweep(sizes) : launch(once)).dump(1).c_str());
  return 0;
}

}  // namespace
}  // namespace onefold::ladder

int main(int argc, char** argv) {
  try {
    return onefold::ladder::command(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "ladder_gpu: %s\n", error.what());
    return 1;
  }
}
