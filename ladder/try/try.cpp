// SPDX-License-Identifier: Apache-2.0
#include "ladder/try/try.hpp"

#include "ladder/try/answer/input.hpp"
#include "ladder/try/launch/geometry.hpp"
#include "ladder/try/object/compiler.hpp"
#include "ladder/try/object/interrupts.hpp"
#include "ladder/try/report/defects.hpp"
#include "ladder/try/report/events.hpp"
#include "ladder/try/report/hints.hpp"
#include "ladder/try/source/refusals.hpp"
#include "ladder/try/source/rewrite.hpp"
#include "ladder/try/source/source.hpp"
#include "ladder/try/source/unit.hpp"
#include "ladder/try/verify/verification.hpp"
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

// Of a kernel that is too slow for the usual one.
constexpr std::size_t shorter_n = 500;

/// Fails: std::invalid_argument naming the option, what was got and what to use instead.
void check(const try_options& o) {
  const auto refuse = [](const char* option, const auto& got, const std::string& remedy) {
    throw std::invalid_argument(fmt::format("{} {}: {}", option, got, remedy));
  };
  if (o.n && (*o.n == 0 || *o.n > max_n)) refuse("--n", *o.n, fmt::format("use 1 to {}", max_n));
  if (o.block && (o.block->volume() == 0 || o.block->volume() > simt::max_block_threads))
    refuse("--block", to_string(*o.block), "use 1 to 1024 threads");
  if (o.grid && (o.grid->volume() == 0 || o.grid->volume() > max_n)) {
    refuse("--grid", to_string(*o.grid), fmt::format("use 1 to {} blocks", max_n));
  }
  if (o.shape && (o.shape->volume() == 0 || o.shape->volume() > max_n)) {
    refuse("--shape", to_string(*o.shape), fmt::format("use 1 to {} elements", max_n));
  }
  if (o.shared_bytes && *o.shared_bytes > simt::max_dynamic_shared_bytes) {
    refuse("--shared", *o.shared_bytes,
           fmt::format("a block has {} bytes", simt::max_dynamic_shared_bytes));
  }
}

std::optional<expectation_word> expected_by(const try_options& o) {
  if (o.expect.empty()) return {};
  const expectation_word word = expectation_named(o.expect);
  if (!o.op.empty() && word.op && *word.op != reduction_named(o.op)) {
    throw std::invalid_argument(
        fmt::format("--op {}: --expect {} asks for another one", o.op, o.expect));
  }
  return word;
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

/// __constant__ variables without an initialiser: before a ; and with no = or {.
std::vector<std::string> empty_constants(const std::vector<token>& tokens) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (!tokens[i].is("__constant__")) continue;
    std::string name;
    bool sized = false;
    for (; i < tokens.size() && !tokens[i].is(";"); ++i) {
      if (tokens[i].is("=") || tokens[i].is("{")) {
        name.clear();
        break;
      }
      sized |= tokens[i].is("[");
      if (!sized && tokens[i].kind == token_kind::word) name = tokens[i].text;
    }
    if (!name.empty()) names.push_back(name);
  }
  return names;
}

struct prepared {
  session_plan plan;
  std::string unit, kernel;
  unsigned line = 0;             ///< of the kernel
  std::string does_not_compile;  ///< why, where it is known before; else empty
};

prepared prepare(const try_options& o) {
  check(o);
  const std::string text = read_source(o.file);
  const std::vector<token> tokens = tokens_of(text);
  prepared p;
  const std::vector<kernel_source> kernels = kernels_in(tokens);
  p.plan.kernel = find_kernel(kernels, o.kernel, o.file);
  p.line = line_of(text, tokens[p.plan.kernel.first].begin);
  const std::string refused = unsupported(o.file, text, tokens, kernels, p.plan.kernel);
  if (!refused.empty()) throw std::invalid_argument(refused);
  p.plan.structs = structs_of(tokens, p.plan.kernel, o.kernel);
  p.plan.source = idioms_in(text, tokens, kernels, p.plan.kernel);
  p.plan.loops = counted_loops_in(text, tokens);
  p.plan.facts = launch_facts_of(tokens, kernels, p.plan.kernel);
  p.plan.one_cluster = waits_for_grid(tokens);
  p.plan.empty_constants = empty_constants(tokens);
  p.does_not_compile = unsized_shared(o.file, text, tokens);
  p.plan.expected = expected_by(o);
  if (!o.op.empty()) p.plan.op = reduction_named(o.op);
  p.plan.orders = orders_named(o.schedule);
  const scalar type = o.type.empty() ? scalar::int32 : scalar_named(o.type);
  p.plan.named_op = reduction_in_name(p.plan.kernel.name);
  std::optional<reduction> op = p.plan.op;
  if (p.plan.expected && p.plan.expected->op) op = p.plan.expected->op;
  const std::vector<functor_source> functors = functors_in(tokens);
  const functor_source* const functor = functor_for(functors, op ? op : p.plan.named_op);
  if (!p.plan.named_op && functor != nullptr && p.plan.kernel.is_template)
    p.plan.named_op = reduction_in_name(functor->name);
  if (!op) op = p.plan.named_op;
  const unsigned block = o.block                        ? o.block->x
                         : !p.plan.facts.blocks.empty() ? p.plan.facts.blocks.front().x
                         : p.plan.facts.dimensions == 1 ? 256
                                                        : 16;
  const std::string instance =
      instance_name(p.plan.kernel, o.kernel, {type, op.value_or(reduction::sum), block, functor});
  p.plan.own_operator = instance.find("::onefold::ladder::") != std::string::npos;
  p.plan.one_instance = std::any_of(
      p.plan.kernel.template_parameters.begin(), p.plan.kernel.template_parameters.end(),
      [](const template_parameter& t) { return t.kind == template_parameter::value; });
  p.kernel = instance.substr(p.plan.kernel.qualifier.size());
  p.unit = unit_text(o.file, rewritten(text, tokens), instance, p.plan.structs);
  p.plan.file = o.file;
  p.plan.n = o.n;
  p.plan.block = o.block;
  p.plan.grid = o.grid;
  p.plan.data = o.shape;
  p.plan.shared_bytes = o.shared_bytes;
  p.plan.arguments = o.arguments;
  p.plan.type = o.type;
  p.plan.draw = o.draw;
  p.plan.limit_s = o.limit_s.value_or(usual_limit_s(o.n.value_or(usual_n)));
  return p;
}

void add_place(try_defect& d, const simt::location& place) {
  const auto is_known = [&place](const simt::location& other) { return other == place; };
  if (place.file.empty() || place == d.place || place == d.other) return;
  if (std::any_of(d.more_places.begin(), d.more_places.end(), is_known)) return;
  if (d.other.file.empty()) {
    d.other = place;
  } else {
    d.more_places.push_back(place);
  }
}

/// Findings of every launch, one for each kind and place; those that the first launch has not say
/// where they came. A race's other places are listed with the first.
void merge_findings(try_report& report) {
  std::vector<try_defect> merged;
  for (const try_run& run : report.runs) {
    const bool first =
        run.data == report.data && run.order == report.runs.front().order && !run.gathered;
    const std::string where = first ? ""
                                    : fmt::format("n {}, block {}, {}{}", run.length(),
                                                  to_string(run.block), simt::to_string(run.order),
                                                  run.gathered ? ", equal elements together" : "");
    for (const simt::finding& f : run.findings) {
      const auto known = std::find_if(merged.begin(), merged.end(), [&](const try_defect& d) {
        return d.kind == simt::to_string(f.kind) && d.place == f.place;
      });
      if (known == merged.end()) {
        merged.push_back({simt::to_string(f.kind), f.place, f.other, f.detail, f.times, where, {}});
        continue;
      }
      add_place(*known, f.other);
      if (&run == &report.runs.front()) known->times += f.times;
    }
  }
  report.defects.insert(report.defects.begin(), merged.begin(), merged.end());
}

void take(try_report& report, session_result session) {
  report.notes = session.notes;
  report.lost = session.lost;
  report.picture = session.picture;
  report.n = session.type.empty() ? report.n : session.data.volume();
  report.data = session.data;
  report.block = session.block;
  report.op = session.op.empty() ? report.op : session.op;
  report.type = session.type;
  report.grid = session.grid;
  report.suffix = session.suffix;
  report.expected = session.expected;
  report.guessed = session.guessed;
  report.assumed = session.assumed;
  report.launched = session.launched;
  report.one_reduction = session.one_reduction;
  report.untested = session.untested;
  report.printed = session.printed;
  report.arguments = session.arguments;
  report.runs = std::move(session.runs);
  report.counts = session.counts;
  report.defects = session.defects;
  std::stable_sort(report.runs.begin() + (report.counts ? 1 : 0), report.runs.end(),
                   [](const try_run& a, const try_run& b) { return a.n > b.n; });
  merge_findings(report);
  // What is harmless in one launch may be a defect in another.
  std::erase_if(report.notes, [&report](const std::string& note) {
    return std::any_of(report.defects.begin(), report.defects.end(), [&note](const try_defect& d) {
      return d.kind == simt::to_string(simt::defect::warp_mask) &&
             note.starts_with(simt::to_string(d.place) + ": ");
    });
  });
  report.hints = hints_for(report, session);
}

void compare(try_report& report, const try_options& o) {
  if (o.rung.empty() || !o.compare || !report.counts || !report.one_reduction) return;
  report.rung = o.rung;
  report.rung_counts = o.compare(o.rung, {report.n, report.block.x, report.type, report.op});
  if (report.rung_counts) return;
  report.hints.push_back(fmt::format("{} has no kernel for this launch to compare with", o.rung));
}

/// Only a kernel that is right so far can turn out to be wrong.
void add_verification(try_report& report, const session_plan& plan, const session_result& session,
                      const std::string& type) {
  const verification checked = verify(plan, session, scalar_named(type));
  report.verified = checked.launches;
  report.runs.insert(report.runs.end(), checked.wrong.begin(), checked.wrong.end());
  report.defects.insert(report.defects.end(), checked.defects.begin(), checked.defects.end());
}

/// What ends at a shorter length is slow.
void try_shorter(session_plan& plan, session_result& session) {
  plan.n = shorter_n;
  session_result shorter = run_session(plan);
  if (shorter.out_of_time) return;
  shorter.defects.push_back(defect_at(
      "too slow", {},
      fmt::format("at n {} the launches take more than {} s of a processor; at n {} they end",
                  usual_n, plan.limit_s, shorter_n)));
  session = std::move(shorter);
}

/// Everything that needs the workshop.
void compile_and_run(try_report& report, prepared& p, const std::string& verified_type) {
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
  if (session.out_of_time && !p.plan.n) try_shorter(p.plan, session);
  report.state = session.interrupted ? try_state::interrupted : try_state::ran;
  if (!session.refused.empty()) {
    throw std::invalid_argument(
        fmt::format("{}:{}: {}: {}", report.file, p.line, report.kernel, session.refused));
  }
  take(report, session);
  if (!verified_type.empty() && report.clean()) {
    add_verification(report, p.plan, session, verified_type);
  }
}

}  // namespace

try_report try_kernel(const try_options& options) {
  const auto start = std::chrono::steady_clock::now();
  try_report report;
  report.file = options.file;
  report.n = options.n.value_or(usual_n);
  report.block = options.block.value_or(try_shape{256});
  report.op = options.op;
  try {
    prepared p = prepare(options);
    report.kernel = p.kernel;
    compile_and_run(report, p, options.verify);
    compare(report, options);
  } catch (const std::invalid_argument& error) {
    report.state = try_state::refused;
    report.message = error.what();
  }
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return report;
}

}  // namespace onefold::ladder
