// SPDX-License-Identifier: Apache-2.0
#include "ladder/try/try.hpp"

#include "ladder/try/launch/input.hpp"
#include "ladder/try/object/compiler.hpp"
#include "ladder/try/object/interrupts.hpp"
#include "ladder/try/report/events.hpp"
#include "ladder/try/report/hints.hpp"
#include "ladder/try/source/rewrite.hpp"
#include "ladder/try/source/source.hpp"
#include "ladder/try/source/unit.hpp"
#include "simt/schedules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <stdexcept>
#include <tuple>

namespace onefold::ladder {
namespace {

using namespace learner;

/// Fails: std::invalid_argument naming the option, what was got and what to use instead.
void check(const try_options& o) {
  const auto refuse = [](const char* option, auto got, const std::string& remedy) {
    throw std::invalid_argument(fmt::format("{} {}: {}", option, got, remedy));
  };
  if (o.n == 0 || o.n > max_n) refuse("--n", o.n, fmt::format("use 1 to {}", max_n));
  if (o.block == 0 || o.block > simt::max_block_threads)
    refuse("--block", o.block, "use 1 to 1024");
  if (o.grid && (*o.grid == 0 || *o.grid > max_n)) {
    refuse("--grid", *o.grid, fmt::format("use 1 to {}", max_n));
  }
  if (o.shared_bytes && *o.shared_bytes > simt::max_dynamic_shared_bytes) {
    refuse("--shared", *o.shared_bytes,
           fmt::format("a block has {} bytes", simt::max_dynamic_shared_bytes));
  }
}

void refuse_cooperative_groups(const std::string& file, const std::string& text,
                               const std::vector<token>& tokens) {
  for (const token& t : tokens) {
    if (t.kind != token_kind::directive || t.text.find("cooperative_groups") == std::string::npos)
      continue;
    throw std::invalid_argument(
        fmt::format("{}:{}: cooperative groups are not supported; use __syncthreads(), "
                    "__syncwarp() and __shfl_down_sync()",
                    file, line_of(text, t.begin)));
  }
}

void refuse_other_dimensions(const std::string& file, const std::string& text,
                             const std::vector<token>& tokens,
                             const std::vector<kernel_source>& kernels,
                             const kernel_source& kernel) {
  const auto use = other_dimension(tokens, kernels, kernel);
  if (!use) return;
  throw std::invalid_argument(
      fmt::format("{}:{}: the kernel uses .{} of a built-in variable, and try launches blocks and "
                  "grids of one dimension; number the lanes by .x alone",
                  file, line_of(text, use->begin), use->text));
}

/// nvcc's message, had it been asked; empty: the compiler may say more.
std::string unsized_shared(const std::string& file, const std::string& text,
                           const std::vector<token>& tokens) {
  const auto array = unsized_shared_array(tokens);
  if (!array) return "";
  return fmt::format("{}:{}: the shared array '{}' has no size; write extern in front of "
                     "__shared__, or a number between the brackets\n",
                     file, line_of(text, array->begin), array->text);
}

struct prepared {
  session_plan plan;
  std::string unit, kernel;
  std::string does_not_compile;  ///< why, where it is known before; else empty
};

prepared prepare(const try_options& o) {
  check(o);
  const std::string text = read_source(o.file);
  const std::vector<token> tokens = tokens_of(text);
  refuse_cooperative_groups(o.file, text, tokens);
  prepared p;
  const std::vector<kernel_source> kernels = kernels_in(tokens);
  p.plan.kernel = find_kernel(kernels, o.kernel, o.file);
  refuse_other_dimensions(o.file, text, tokens, kernels, p.plan.kernel);
  p.does_not_compile = unsized_shared(o.file, text, tokens);
  p.plan.op = reduction_named(o.op);
  p.plan.orders = orders_named(o.schedule);
  const scalar type = o.type.empty() ? scalar::int32 : scalar_named(o.type);
  const std::string instance = instance_name(p.plan.kernel, o.kernel, {type, p.plan.op, o.block});
  p.kernel = instance.substr(p.plan.kernel.qualifier.size());
  p.unit = unit_text(o.file, rewritten(text, tokens), instance);
  p.plan.file = o.file;
  p.plan.n = o.n;
  p.plan.block = o.block;
  p.plan.grid = o.grid;
  p.plan.shared_bytes = o.shared_bytes;
  p.plan.arguments = o.arguments;
  p.plan.type = o.type;
  p.plan.limit_s = o.limit_s.value_or(usual_limit_s(o.n));
  return p;
}

/// Findings of every launch, each once; those that the first launch has not say where they came.
void merge_findings(try_report& report) {
  std::vector<try_defect> merged;
  for (const try_run& run : report.runs) {
    for (const simt::finding& f : run.findings) {
      const bool known = std::any_of(merged.begin(), merged.end(), [&](const try_defect& d) {
        return d.kind == simt::to_string(f.kind) && d.place == f.place && d.other == f.other;
      });
      if (known) continue;
      const bool first = run.n == report.n && run.order == report.runs.front().order;
      merged.push_back({simt::to_string(f.kind), f.place, f.other, f.detail, f.times,
                        first ? "" : fmt::format("n {}, {}", run.n, simt::to_string(run.order))});
    }
  }
  report.defects.insert(report.defects.begin(), merged.begin(), merged.end());
}

void take(try_report& report, session_result session) {
  report.type = session.type;
  report.grid = session.grid;
  report.of = session.of;
  report.arguments = session.arguments;
  report.runs = std::move(session.runs);
  report.counts = session.counts;
  report.defects = session.defects;
  std::stable_sort(report.runs.begin() + (report.counts ? 1 : 0), report.runs.end(),
                   [](const try_run& a, const try_run& b) { return a.n > b.n; });
  merge_findings(report);
  report.hints = hints_for(report, session);
}

void compare(try_report& report, const try_options& o) {
  if (o.rung.empty() || !o.compare || !report.counts || !report.of.empty()) return;
  report.rung = o.rung;
  report.rung_counts = o.compare(o.rung, {o.n, o.block, report.type, report.op});
  if (report.rung_counts) return;
  report.hints.push_back(fmt::format("{} has no kernel for this launch to compare with", o.rung));
}

/// Everything that needs the workshop.
void compile_and_run(try_report& report, prepared& p) {
  if (!p.does_not_compile.empty()) {
    report.state = try_state::not_compiled;
    report.message = p.does_not_compile;
    return;
  }
  const interrupts_held held;
  const workshop place;
  const auto folder = std::filesystem::absolute(report.file).parent_path();
  const compiled object = compile(place, p.unit, folder.string());
  if (object.interrupted) {
    report.state = try_state::interrupted;
    return;
  }
  if (!object.good) {
    report.state = try_state::not_compiled;
    report.message = object.message;
    return;
  }
  p.plan.object = object.object;
  session_result session = run_session(p.plan);
  report.state = session.interrupted ? try_state::interrupted : try_state::ran;
  if (!session.refused.empty()) {
    throw std::invalid_argument(
        fmt::format("{}: {}: {}", report.file, report.kernel, session.refused));
  }
  take(report, std::move(session));
}

}  // namespace

try_report try_kernel(const try_options& options) {
  const auto start = std::chrono::steady_clock::now();
  try_report report;
  report.file = options.file;
  report.n = options.n;
  report.block = options.block;
  report.op = options.op;
  try {
    prepared p = prepare(options);
    report.kernel = p.kernel;
    compile_and_run(report, p);
    compare(report, options);
  } catch (const std::invalid_argument& error) {
    report.state = try_state::refused;
    report.message = error.what();
  }
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return report;
}

}  // namespace onefold::ladder
