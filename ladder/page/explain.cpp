// SPDX-License-Identifier: Apache-2.0
#include "ladder/page/explain.hpp"

#include "ladder/page/block_recorder.hpp"
#include "ladder/page/climb_times.hpp"
#include "ladder/page/counters.hpp"
#include "ladder/page/diff.hpp"
#include "ladder/page/fold_recorder.hpp"
#include "ladder/page/kernel_text.hpp"
#include "ladder/page/lines.hpp"
#include "ladder/page/pictures.hpp"
#include "ladder/rung/hardware.hpp"
#include "ladder/trial/try_rung.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>

namespace onefold::ladder {
namespace {

constexpr unsigned toy_block = 8, toy_warp = 4;
constexpr std::size_t toy_n = 16;
constexpr unsigned drawable_block = 16;  ///< a row of the picture has a cell for each lane

/// The numbers of a claim that the GPU judges are the GPU's.
claim_line claim_line_of(const claim& c, const evidence& e) {
  claim_line line{std::string(c.says), judge(c, e), "-", ""};
  const bool recorded = e.recorded != nullptr && line.state != claim_state::not_recorded;
  if (c.judged_by == witness::gpu) {
    if (recorded && !e.previous_refuses) line.measured = c.counted(e);
    return line;
  }
  if (!e.previous_refuses) line.counted = c.counted(e);
  if (recorded && c.measured != nullptr) line.measured = c.measured(*e.recorded);
  return line;
}

std::vector<claim_line> claim_lines(const rung& r, const trial_options& launch, trials& done) {
  std::vector<claim_line> lines;
  for (const claim& c : r.claims) {
    lines.push_back(claim_line_of(c, done.compared(r, launch, c)));
  }
  return lines;
}

/// Both receive every request.
class two_listeners : public simt::request_listener {
 public:
  two_listeners(simt::request_listener& a, simt::request_listener& b) : a_(a), b_(b) {}

  void request(const simt::priced_request& priced) override {
    a_.request(priced);
    b_.request(priced);
  }

 private:
  simt::request_listener &a_, &b_;
};

check_line check(const rung& r, const trial_options& options, std::string at) {
  const trial t = try_rung(r, options);
  return {std::move(at), t.verdict(), t.clean()};
}

std::vector<check_line> under_schedules(const rung& r, trial_options options) {
  std::vector<check_line> lines;
  for (const simt::schedule order : simt::all_schedules) {
    options.order = order;
    lines.push_back(check(r, options, to_string(order)));
  }
  return lines;
}

std::vector<check_line> at_lengths(const rung& r, trial_options options) {
  const std::size_t below = options.n == 0 ? 0 : options.n - 1;
  std::vector<std::size_t> lengths;
  for (const std::size_t n :
       {options.n, below, std::size_t{1000}, std::size_t{1}, std::size_t{0}}) {
    if (std::ranges::find(lengths, n) == lengths.end()) lengths.push_back(n);
  }
  std::vector<check_line> lines;
  for (const std::size_t n : lengths) {
    options.n = n;
    lines.push_back(check(r, options, fmt::format("{}", n)));
  }
  return lines;
}

/// Nothing to draw where the rung does not take so small a launch: a tree of one block size.
fold_tree folds_of(const rung& r, const trial_options& launch) {
  fold_tree tree{toy_launch(launch), {}, false};
  if (!folds_elements(r)) return tree;
  fold_recorder recorder(tree.options.type);
  try {
    try_rung(r, tree.options, nullptr, &recorder);
  } catch (const std::invalid_argument&) {
    return tree;
  }
  tree.in_registers = recorder.in_registers();
  if (!tree.in_registers) tree.folds = recorder.folds();
  return tree;
}

std::string diff_to_previous(const rung& r) {
  const rung* previous = r.previous.empty() ? nullptr : find_rung(r.previous);
  return previous == nullptr ? "" : unified_diff(kernel_text(previous->file), kernel_text(r.file));
}

}  // namespace

trial_options toy_launch(const trial_options& launch) {
  if (launch.block <= drawable_block) return launch;
  trial_options toy = launch;
  toy.n = toy_n;
  toy.block = toy_block;
  toy.warp = toy_warp;
  toy.width = toy.height = 0;
  return toy;
}

page explain(const rung& r, const explain_options& options, trials& done) {
  page result{};
  result.subject = &r;
  result.diff = diff_to_previous(r);
  if (!r.gpu_only.empty()) result.times = recorded_lines(r);
  if (!r.under_executor()) return result;

  block_recorder recorder(r);
  line_recorder by_line;
  two_listeners both(recorder, by_line);
  result.outcome = done.keep(r, try_rung(r, options.launch, &both, &recorder));

  result.claims = claim_lines(r, options.launch, done);
  result.recorded = recorded_counters(r.name, options.launch);
  result.counters = counter_lines(result.outcome.counts, result.recorded);
  result.lines = source_lines(r, options.launch.type, by_line);
  result.excerpts = code_excerpts(r);
  result.times = recorded_lines(r);
  result.drawing = recorder.drawing();
  result.tree = folds_of(r, options.launch);
  result.pictures = pictures_of(r, options.launch);
  for (const simt::finding& f : result.outcome.findings) result.findings.push_back(f.text());

  if (r.appendix != nullptr) result.appendix = r.appendix();

  trial_options schedules = options.launch;
  schedules.n = options.schedules_n.value_or(schedules.n);
  result.schedules_n = schedules.n;
  result.schedules = under_schedules(r, schedules);
  result.lengths = at_lengths(r, options.launch);
  return result;
}

}  // namespace onefold::ladder
