// SPDX-License-Identifier: Apache-2.0
#include "cuda/nested/describe.hpp"

#include <algorithm>

#include "cuda/nested/moments/rows.hpp"
#include "cuda/nested/ordered/short_rows.hpp"
#include "request/bands.hpp"
#include "request/request.hpp"
#include "request/tuning.hpp"

namespace onefold::cuda {
namespace {

constexpr std::int64_t blocks_of_a_multiprocessor = 16;
// Elements that a warp may take alone: in line, with sums in registers, and otherwise, with digits
// in shared memory, some 75 us. Where so many answers wait, a warp has one in any case.
constexpr std::int64_t longest_line = std::int64_t(1) << 14, longest_other = std::int64_t(1) << 11;
constexpr std::int64_t many_answers = 4096;

axis_nest nest_of(const plan& from) {
  axis_nest made;
  for (const loop_nest* nest : {&from.kept, &from.reduced})
    for (const loop_axis& axis : *nest)
      made.axis[made.all++] = {axis.extent, axis.x_bytes, axis.y_bytes, axis.mask_bytes};
  made.kept = from.kept.size();
  return made;
}

bool aligned(const void* origin, const plan& plan, std::int64_t loop_axis::*stride,
             std::size_t item_bytes) {
  const auto item = std::int64_t(item_bytes);
  bool all = reinterpret_cast<std::uintptr_t>(origin) % item_bytes == 0;
  for (const loop_nest* nest : {&plan.kept, &plan.reduced})
    for (const loop_axis& axis : *nest) all = all && axis.*stride % item == 0;
  return all;
}

bool are_spreads(const plan& plan) {
  const auto is_spread = [](op what) { return what == op::var || what == op::stddev; };
  return std::all_of(plan.ops.begin(), plan.ops.end(), is_spread);
}

bool is_a_warps(const request& of, accumulator each) {
  const auto& plan = of.plan;
  const bool one_chunk = plan.items <= tuning::chunk_items && !of.columns;
  if (each == accumulator::log_sum || plan.accuracy == accuracy::fast) return one_chunk;
  const bool in_line =
      plan.reduced.size() <= 1 &&
      (plan.reduced.empty() || plan.reduced[0].x_bytes == std::int64_t(size_bytes(of.x_type)));
  return plan.items <= (in_line ? longest_line : longest_other) || plan.outputs >= many_answers;
}

}  // namespace

bool has_answers_in_order(const plan& plan) {
  std::int64_t behind = 1;
  for (int a = plan.kept.size() - 1; a >= 0; behind *= plan.kept[a].extent, --a)
    if (plan.kept[a].index_items != behind) return false;
  return plan.origin.index == 0;
}

ordered_cut ordered_cut_of(const request& of) {
  const auto& plan = of.plan;
  if (of.columns) {
    const std::int64_t rows = plan.reduced[plan.reduced.size() - 1].extent;
    return {order::columns, bands_of(plan.items / rows, rows), tuning::band_rows};
  }
  const std::int64_t piece = std::min(plan.items, tuning::chunk_items);
  return {order::chunks, (plan.items - 1) / piece + 1, piece};
}

nested_request described(const request& of, const std::byte* x, const std::byte* y,
                         const std::byte* mask) {
  const auto& plan = of.plan;
  nested_request made;
  made.input = plan.input;
  made.items = plan.items;
  made.x = x, made.y = y, made.mask = mask;
  made.x_kind = kind_of(of.x_type), made.y_kind = kind_of(of.y_type);
  made.axes = nest_of(plan);
  made.drops_nans = drops_nans(plan);
  made.aligned = aligned(x, plan, &loop_axis::x_bytes, made.x_kind.bytes) &&
                 (y == nullptr || aligned(y, plan, &loop_axis::y_bytes, made.y_kind.bytes));
  return made;
}

std::optional<nested_request> finished_nest(const request& of, accumulator each) {
  const auto& plan = of.plan;
  if (!nested_rounds(each, plan.input, plan.accuracy) || !has_answers_in_order(plan) ||
      !is_a_warps(of, each))
    return std::nullopt;
  const bool fast = plan.accuracy == accuracy::fast;
  if (fast && !are_spreads(plan)) return std::nullopt;
  nested_request made = described(of, static_cast<const std::byte*>(of.x), nullptr, nullptr);
  made.of = each;
  if (each == accumulator::log_sum || fast) made.shape = order::chunks;
  made.piece_items = plan.items;
  made.outputs = plan.outputs;
  return made;
}

unsigned blocks_of(const nested_request& of, unsigned multiprocessors) {
  if (of.of == accumulator::moments && of.shape == order::none)
    if (const auto rows = moment_rows_of(of)) return blocks_of(*rows, multiprocessors);
  const std::int64_t groups = nested_threads / of.lanes, tasks = of.outputs * of.pieces;
  const std::int64_t each = has_short_rows(of)
                                ? blocks_of_short_rows(of, blocks_of_a_multiprocessor)
                                : blocks_of_a_multiprocessor;
  return unsigned(
      std::clamp<std::int64_t>((tasks + groups - 1) / groups, 1, each * multiprocessors));
}

}  // namespace onefold::cuda
