// SPDX-License-Identifier: Apache-2.0
// Which kernels compute the answers of a request, with which arguments and how much memory.
#include "cuda/plan/launch.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <utility>

#include "cuda/kernels/strided/describe.hpp"
#include "cuda/kernels/strided/exponentials/exponential_rows.hpp"
#include "cuda/kernels/strided/moments/moment_rows.hpp"
#include "cuda/runtime/device.hpp"
#include "cuda/runtime/workspace.hpp"
#include "runtime/accumulation.hpp"

namespace onefold::cuda {
namespace {

// Of fewer bytes the one launch of the kernels that compute the place of each element is kept
// (an estimate: not measured).
constexpr std::int64_t least_gathered_bytes = std::int64_t(4) << 20;

// Arrays of up to so many bytes are one row, which a warp takes in one launch without a workspace,
// where a row's interval decides nearly all answers: sums of terms of one sign. Of others it leaves
// those near zero, which a warp sums up again in 10 ns an element (H200).
constexpr std::int64_t longest_row_bytes = std::int64_t(16) << 10;

bool is_one_row(const request& request, const layout& elements, dtype output) {
  const auto& plan = request.plan;
  if (plan.ops.size() != 1 || request.options.count != nullptr || !elements.contiguous_items ||
      plan.items == 0 || plan.nan_policy != nan_policy::propagate || !is_floating(plan.input) ||
      !is_floating(output))
    return false;
  switch (accumulator_of(plan.ops[0])) {
  case accumulator::magnitudes:
  case accumulator::squares:
  case accumulator::moments:
  case accumulator::exponentials:
    return plan.items * elements.width <= longest_row_bytes;
  default:
    return false;
  }
}

std::string plan_whole_arrays(const request& request, std::span<const output_view> outputs,
                              launch_list& list) {
  const auto& plan = request.plan;
  const auto accumulators = accumulators_of(plan.ops, plan.accuracy);
  for (const accumulator kind : accumulators) {
    whole_request whole = {kind, plan.input, request.x, request.y, plan.items};
    if (auto why = list_answers(request, kind, accumulators, outputs, whole.finish); !why.empty())
      return why;
    whole.finish.is_first = list.launches.empty();
    if (!has_kernel(kernel_family::full, kind, plan.accuracy, plan.input))
      return of_type(whole.finish.answers[0].op, plan.input);
    list.launches.push_back(plan_whole_array(whole, list.device));
  }
  return {};
}

// Of two reduced axes the longer one counts rows: its parts are those of an answer.
batched_block columns_of(const answer_query& query, batched_block block) {
  const loop_nest &kept = query.request.plan.kept, &reduced = query.request.plan.reduced;
  const std::int64_t width = query.elements.width;
  block.inner = kept[kept.size() - 1].extent,
  block.outer = query.request.plan.outputs / block.inner;
  block.places.inner = kept[kept.size() - 1].x_bytes / width;
  const loop_axis* rows = &reduced[reduced.size() - 1];
  const loop_axis* across = reduced.size() > 1 ? &reduced[0] : nullptr;
  if (across != nullptr && across->extent > rows->extent) std::swap(rows, across);
  block.n = rows->extent, block.places.row = rows->x_bytes / width;
  if (across != nullptr)
    block.across = across->extent, block.places.across = across->x_bytes / width;
  for (int a = 0; a + 1 < kept.size(); ++a) {
    block.places.extents[block.places.axes] = kept[a].extent;
    block.places.outer[block.places.axes++] = kept[a].x_bytes / width;
  }
  return block;
}

kernel_launch plan_batched(const answer_query& query, void* out) {
  const layout& x = query.elements;
  const batched_request request = {query.op, query.request.plan.accuracy, query.request.plan.input,
                                   query.output};
  batched_block block = {query.request.x,       x.outer, x.n, x.inner, out,
                         query.multiprocessors, x.across};
  if (x.form == layout_form::columns || x.form == layout_form::strided)
    block = columns_of(query, block);
  return {kernel_family::batched, batched_workspace_bytes(request, block), false,
          batched_launch{request, block}};
}

segments_request segments_of(const answer_query& query) {
  const auto& plan = query.request.plan;
  return {query.op, plan.accuracy, plan.nan_policy, plan.input, query.output};
}

kernel_launch plan_row_folds(const answer_query& query, void* out) {
  const request& request = query.request;
  const row_folds rows =
      row_folds_of(segments_of(query), nest_of(request), out, request.options.first_index);
  const int steps = rows.rows.vectors || rows.packed ? light_steps : usual_steps;
  return {kernel_family::row_folds, 0, false,
          row_folds_launch{rows, blocks_of(rows.rows, query.multiprocessors, steps)}};
}

kernel_launch plan_segment_rows(const answer_query& query, void* out) {
  const layout& x = query.elements;
  const segments_launch rows =
      plan_segments(segments_of(query), {query.request.x, x.outer * x.n, nullptr, x.outer, out,
                                         query.request.options.first_index, x.n});
  return {kernel_family::segment_rows, rows.workspace_bytes, true, rows};
}

column_folds column_folds_of(const answer_query& query, void* out) {
  const request& request = query.request;
  return {segments_of(query), nest_of(request), lanes_of(request, query.multiprocessors), out,
          request.options.first_index};
}

template <class Columns>
kernel_launch plan_columns(kernel_family family, const Columns& columns) {
  return {family, workspace_bytes_of(columns), false, columns};
}

kernel_launch plan_answers(kernel_family family, const answer_query& query, void* out) {
  switch (family) {
  case kernel_family::batched:
    return plan_batched(query, out);
  case kernel_family::row_folds:
    return plan_row_folds(query, out);
  case kernel_family::column_folds:
    return plan_columns(family, column_folds_of(query, out));
  case kernel_family::segment_rows:
    return plan_segment_rows(query, out);
  case kernel_family::exponential_columns:
    return plan_columns(family, exponential_columns_of(query, out));
  default:
    return plan_columns(family, moment_columns_of(query, out));
  }
}

// Of floats, moments have kernels that round what they sum up.
std::vector<accumulator> with_moments(std::span<const accumulator> accumulators) {
  std::vector<accumulator> merged;
  for (const accumulator kind : accumulators) {
    const bool in_moments = kind == accumulator::total || kind == accumulator::squares;
    const accumulator serving = in_moments ? accumulator::moments : kind;
    if (std::find(merged.begin(), merged.end(), serving) == merged.end()) merged.push_back(serving);
  }
  return merged;
}

// The strided kernels: where one warp is enough for each answer of all accumulators.
bool plan_strided_answers(const request& request, const layout& elements,
                          std::span<const output_view> outputs, launch_list& list) {
  const auto accumulators = with_moments(accumulators_of(request.plan.ops, request.plan.accuracy));
  std::vector<kernel_launch> launches;
  for (const accumulator kind : accumulators) {
    if (!suits(kernel_family::strided_answers,
               {request, elements, op_of(kind), request.plan.input, 0}))
      return false;
    strided_request nest = finished_nest(request, kind);
    if (!list_answers(request, kind, accumulators, outputs, nest.finish).empty()) return false;
    launches.push_back(plan_strided(nest, 0, list.device));
  }
  list.launches = std::move(launches);
  return true;
}

std::string plan_several_answers(const request& request, const layout& elements,
                                 std::span<const output_view> outputs, launch_list& list) {
  const auto& plan = request.plan;
  const unsigned multiprocessors = multiprocessors_of(list.device);
  for (int i = 0; i < plan.ops.size(); ++i) {
    const output_view& out = outputs[std::size_t(i)];
    const answer_query query = {request, elements, plan.ops[i], out.type(), multiprocessors};
    if (const auto family = answer_kernel(query))
      list.launches.push_back(plan_answers(*family, query, out.data()));
    else if (plan_strided_answers(request, elements, outputs, list))
      return {};
    else
      return of_type(plan.ops[i], plan.input) + (plan.form == shape::full
                                                     ? " of scattered elements"
                                                     : " of several answers of this shape");
  }
  return {};
}

std::int64_t bytes_of(const plan& plan) {
  return plan.outputs * plan.items * std::int64_t(size_bytes(plan.input));
}

}  // namespace

std::string plan_in_place(const request& request, std::span<const output_view> outputs,
                          launch_list& list) {
  const auto& plan = request.plan;
  layout elements = layout_of(plan, request.x, request.x_type, request.y, request.y_type);
  const bool whole = plan.form == shape::full && plan.reading != path::packed;
  if (!whole) return plan_several_answers(request, elements, outputs, list);
  if (is_one_row(request, elements, outputs[0].type())) {
    elements.form = layout_form::rows;
    const bool planned = plan_several_answers(request, elements, outputs, list).empty();
    if (planned && !looks_for_elements(list.launches[0])) return {};
    list.launches.clear();
  }
  return plan_whole_arrays(request, outputs, list);
}

bool looks_for_elements(const kernel_launch& launch) {
  const auto* const strided = std::get_if<strided_launch>(&launch.arguments);
  if (strided == nullptr) return false;
  const strided_request& request = strided->request;
  const bool moments = request.accumulator == accumulator::moments && moment_rows_of(request);
  return !moments && !exponential_rows_of(request);
}

namespace {

// Cached: it is found once for each device, which is the current one.
unsigned window_blocks_of(int device) {
  static std::array<std::atomic<unsigned>, 64> known{};
  if (device < 0 || device >= int(known.size())) return 1;
  std::atomic<unsigned>& blocks = known[std::size_t(device)];
  if (blocks.load(std::memory_order_relaxed) == 0) {
    const device_guard here(device);
    blocks.store(find_window_blocks(), std::memory_order_relaxed);
  }
  return blocks.load(std::memory_order_relaxed);
}

}  // namespace

kernel_launch plan_whole_array(whole_request request, int device) {
  request.lanes = suited_lanes(float32_per_float64_of(device));
  const grid_shape grid = suited_grid(request, multiprocessors_of(device),
                                      suits_window(request) ? window_blocks_of(device) : 1);
  const int words =
      needs_memory(request, grid) ? state_words(request.accumulator, request.input) : 0;
  return {kernel_family::full, std::size_t(words) * sizeof(std::int64_t), false,
          whole_launch{request, grid}};
}

kernel_launch plan_strided(const strided_request& request, std::int64_t words, int device) {
  return {kernel_family::strided_answers, std::size_t(words) * sizeof(std::int64_t), false,
          strided_launch{request, blocks_of(request, multiprocessors_of(device))}};
}

std::size_t launch_list::workspace_bytes() const {
  std::size_t scratch = 0;
  for (const kernel_launch& each : launches) scratch = std::max(scratch, each.scratch);
  return scratch > 0 ? cleared_bytes + scratch : 0;
}

std::string list_answers(const request& request, accumulator kind,
                         std::span<const accumulator> accumulators,
                         std::span<const output_view> outputs, finish_list& list) {
  const auto& plan = request.plan;
  const options& options = request.options;
  list.nan = plan.nan_policy, list.correction = std::int64_t(options.correction);
  list.first_index = options.first_index;
  list.status = options.status_out, list.count = options.count;
  for (int i = 0; i < plan.ops.size(); ++i) {
    const op op = plan.ops[i];
    if (accumulator_serving(op, accumulators) != kind) continue;
    if (list.size == finish_list::most) return "an operator twice";
    const output_view& output = outputs[std::size_t(i)];
    list.answers[list.size++] = {output.data(), op, output.type()};
  }
  return {};
}

launch_list plan_launches(const executor::cuda& on, const request& request,
                          std::span<const output_view> outputs) {
  launch_list list;
  list.why_not = reason_for_host(on, request, outputs, list.device);
  if (!list.why_not.empty()) return list;
  list.why_not = plan_in_place(request, outputs, list);
  const bool has_kernels = list.why_not.empty();
  const bool is_fast =
      has_kernels && std::none_of(list.launches.begin(), list.launches.end(), looks_for_elements);
  if (is_fast || (has_kernels && bytes_of(request.plan) < least_gathered_bytes)) return list;
  if (auto gathered = plan_gathered(request, outputs, list.device)) {
    const std::size_t scratch =
        gathered->answers_bytes + gathered->elements_bytes + gathered->kernels_bytes;
    list.launches = {{kernel_family::gathered, scratch, false, std::move(*gathered)}};
    list.why_not.clear();
  }
  return list;
}

}  // namespace onefold::cuda
