// SPDX-License-Identifier: Apache-2.0
// The kernel launches of a request that is answered asynchronously on the device.
#include <algorithm>
#include <utility>

#include "cuda/device.hpp"
#include "cuda/kernel_table.hpp"
#include "cuda/nested/describe.hpp"
#include "cuda/resident/resident.hpp"
#include "cuda/workspace.hpp"

namespace onefold::cuda {
namespace {

// Moments also serve the sums that are requested together with them.
accumulator serving(op what, std::span<const accumulator> accumulators) {
  const accumulator own = accumulator_of(what);
  const bool there = std::find(accumulators.begin(), accumulators.end(), own) != accumulators.end();
  return there ? own : accumulator::moments;
}

void need_scratch(std::size_t bytes, resident_work& to) {
  if (bytes > 0) to.workspace_bytes = std::max(to.workspace_bytes, cleared_bytes + bytes);
}

std::string add_accumulator(const request& of, accumulator each,
                            std::span<const accumulator> accumulators,
                            std::span<const output_view> outputs, resident_work& to) {
  const auto& plan = of.plan;
  full_request asked = {each, plan.input, of.x, of.y, plan.items};
  if (auto why = list_answers(of, each, accumulators, outputs, asked.finish); !why.empty())
    return why;
  asked.finish.is_first = to.full.empty();
  if (!has_kernel(kernel_family::full, each, plan.accuracy, plan.input))
    return of_type(asked.finish.answers[0].what, plan.input);
  to.full.push_back(asked);
  need_scratch(std::size_t(state_words(each, plan.input)) * sizeof(std::int64_t), to);
  return {};
}

std::string add_whole_array(const request& of, std::span<const accumulator> accumulators,
                            std::span<const output_view> outputs, resident_work& to) {
  for (const accumulator each : accumulators)
    if (auto why = add_accumulator(of, each, accumulators, outputs, to); !why.empty()) return why;
  return {};
}

void add_batched(const answer_query& by, void* out, resident_work& to) {
  const layout& x = by.elements;
  to.many.push_back({{by.what, by.of.plan.accuracy, by.of.plan.input, by.output},
                     {by.of.x, x.outer, x.n, x.inner, out, by.multiprocessors, x.across}});
  need_scratch(many_workspace_bytes(to.many.back().request, to.many.back().block), to);
}

segments_request segments_of(const answer_query& by) {
  const auto& plan = by.of.plan;
  return {by.what, plan.accuracy, plan.nan_policy, plan.input, by.output};
}

void add_row_folds(const answer_query& by, void* out, resident_work& to) {
  const request& of = by.of;
  nested_request rows = described(of, static_cast<const std::byte*>(of.x), nullptr, nullptr);
  rows.outputs = of.plan.outputs;
  to.tiled.push_back(row_folds_of(segments_of(by), rows, out, of.options.first_index));
}

void add_segment_columns(const answer_query& by, void* out, resident_work& to) {
  const layout& x = by.elements;
  const columns_block block = {
      by.of.x, x.outer, x.n, x.inner, out, by.of.options.first_index, by.multiprocessors};
  to.columns.push_back({segments_of(by), block});
  need_scratch(selected_columns_bytes(block), to);
}

void add_segment_rows(const answer_query& by, void* out, resident_work& to) {
  const layout& x = by.elements;
  const segments_block block = {
      by.of.x, x.outer * x.n, nullptr, x.outer, out, by.of.options.first_index, x.n};
  to.rows.push_back({segments_of(by), block});
  need_scratch(segments_workspace_bytes(to.rows.back().request, block), to);
}

// Adds the launches of the family; returns whether there is one.
bool add_answers(const answer_query& by, void* out, resident_work& to) {
  const auto family = answer_kernel(by);
  if (!family) return false;
  switch (*family) {
  case kernel_family::batched:
    add_batched(by, out, to);
    break;
  case kernel_family::row_folds:
    add_row_folds(by, out, to);
    break;
  case kernel_family::segment_columns:
    add_segment_columns(by, out, to);
    break;
  case kernel_family::segment_rows:
    add_segment_rows(by, out, to);
    break;
  case kernel_family::exponential_columns:
    to.exponentials.push_back(exponential_columns_of(by, out));
    need_scratch(workspace_bytes_of(to.exponentials.back()), to);
    break;
  default:
    to.moments.push_back(moment_columns_of(by, out));
    need_scratch(workspace_bytes_of(to.moments.back()), to);
  }
  return true;
}

// Of floats, moments have kernels that round what they sum up.
std::vector<accumulator> with_moments(std::span<const accumulator> accumulators) {
  std::vector<accumulator> made;
  for (const accumulator each : accumulators) {
    const bool in_moments = each == accumulator::total || each == accumulator::squares;
    const accumulator by = in_moments ? accumulator::moments : each;
    if (std::find(made.begin(), made.end(), by) == made.end()) made.push_back(by);
  }
  return made;
}

// The strided kernels: where one warp is enough for each answer of all accumulators.
bool add_nests(const request& of, const layout& elements, std::span<const accumulator> states,
               std::span<const output_view> outputs, resident_work& to) {
  const std::vector<accumulator> accumulators = with_moments(states);
  std::vector<nested_request> made;
  for (const accumulator each : accumulators) {
    if (!suits(kernel_family::strided_answers, {of, elements, op_of(each), of.plan.input, 0}))
      return false;
    made.push_back(finished_nest(of, each));
    if (!list_answers(of, each, accumulators, outputs, made.back().finish).empty()) return false;
  }
  to.nested = std::move(made);
  to.many.clear(), to.rows.clear(), to.tiled.clear(), to.columns.clear(), to.moments.clear(),
      to.exponentials.clear();
  to.workspace_bytes = 0;
  return true;
}

std::string add_several_answers(const request& of, std::span<const accumulator> accumulators,
                                std::span<const output_view> outputs, resident_work& to) {
  const layout elements = layout_of(of.plan, of.x, of.x_type, of.y, of.y_type);
  const unsigned multiprocessors = multiprocessors_of(to.device);
  for (int i = 0; i < of.plan.ops.size(); ++i) {
    const op what = of.plan.ops[i];
    const output_view& out = outputs[std::size_t(i)];
    if (add_answers({of, elements, what, out.type(), multiprocessors}, out.data(), to)) continue;
    if (add_nests(of, elements, accumulators, outputs, to)) return {};
    return of_type(what, of.plan.input) + " of several answers of this shape";
  }
  return {};
}

}  // namespace

std::string list_answers(const request& of, accumulator each,
                         std::span<const accumulator> accumulators,
                         std::span<const output_view> outputs, finish_list& list) {
  const auto& plan = of.plan;
  list.nan = plan.nan_policy, list.correction = std::int64_t(of.options.correction);
  list.first_index = of.options.first_index;
  list.status = of.options.status_out, list.count = of.options.count;
  for (int i = 0; i < plan.ops.size(); ++i) {
    const op what = plan.ops[i];
    if (serving(what, accumulators) != each) continue;
    if (list.size == finish_list::most) return "an operator twice";
    list.answers[list.size++] = {outputs[std::size_t(i)].data(), what,
                                 outputs[std::size_t(i)].type()};
  }
  return {};
}

resident_work resident_work_of(const executor::cuda& on, const request& of,
                               std::span<const accumulator> accumulators,
                               std::span<const output_view> outputs) {
  resident_work made;
  made.why_not = reason_for_host(on, of, outputs, made.device);
  if (made.why_not.empty())
    made.why_not = of.plan.form == shape::full
                       ? add_whole_array(of, accumulators, outputs, made)
                       : add_several_answers(of, accumulators, outputs, made);
  return made;
}

}  // namespace onefold::cuda
