// SPDX-License-Identifier: Apache-2.0
#include "cuda/nested/describe.hpp"

#include <algorithm>

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

bool aligned(const void* origin, const plan& decided, std::int64_t loop_axis::*stride,
             std::size_t item_bytes) {
  const auto item = std::int64_t(item_bytes);
  bool all = reinterpret_cast<std::uintptr_t>(origin) % item_bytes == 0;
  for (const loop_nest* nest : {&decided.kept, &decided.reduced})
    for (const loop_axis& axis : *nest) all = all && axis.*stride % item == 0;
  return all;
}

bool are_spreads(const plan& decided) {
  const auto is_spread = [](op what) { return what == op::var || what == op::stddev; };
  return std::all_of(decided.ops.begin(), decided.ops.end(), is_spread);
}

bool is_a_warps(const request& of, accumulator each) {
  const plan& decided = of.decided;
  const bool one_chunk = decided.items <= tuning::chunk_items && !of.columns;
  if (each == accumulator::log_sum || decided.accuracy == accuracy::fast) return one_chunk;
  const bool in_line = decided.reduced.size() <= 1 &&
                       (decided.reduced.empty() ||
                        decided.reduced[0].x_bytes == std::int64_t(size_bytes(of.x_type)));
  return decided.items <= (in_line ? longest_line : longest_other) ||
         decided.outputs >= many_answers;
}

}  // namespace

bool has_answers_in_order(const plan& decided) {
  std::int64_t behind = 1;
  for (int a = decided.kept.size() - 1; a >= 0; behind *= decided.kept[a].extent, --a)
    if (decided.kept[a].index_items != behind) return false;
  return decided.origin.index == 0;
}

ordered_cut ordered_cut_of(const request& of) {
  const plan& decided = of.decided;
  if (of.columns) {
    const std::int64_t rows = decided.reduced[decided.reduced.size() - 1].extent;
    return {order::columns, bands_of(decided.items / rows, rows), tuning::band_rows};
  }
  const std::int64_t piece = std::min(decided.items, tuning::chunk_items);
  return {order::chunks, (decided.items - 1) / piece + 1, piece};
}

nested_request described(const request& of, const std::byte* x, const std::byte* y,
                         const std::byte* mask) {
  const plan& decided = of.decided;
  nested_request made;
  made.input = decided.input;
  made.items = decided.items;
  made.x = x, made.y = y, made.mask = mask;
  made.x_kind = kind_of(of.x_type), made.y_kind = kind_of(of.y_type);
  made.axes = nest_of(decided);
  made.drops_nans = drops_nans(decided);
  made.aligned = aligned(x, decided, &loop_axis::x_bytes, made.x_kind.bytes) &&
                 (y == nullptr || aligned(y, decided, &loop_axis::y_bytes, made.y_kind.bytes));
  return made;
}

std::optional<nested_request> finished_nest(const request& of, accumulator each) {
  const plan& decided = of.decided;
  if (!nested_finishes(each, decided.input, decided.accuracy) || !has_answers_in_order(decided) ||
      !is_a_warps(of, each))
    return std::nullopt;
  const bool fast = decided.accuracy == accuracy::fast;
  if (fast && !are_spreads(decided)) return std::nullopt;
  nested_request made = described(of, static_cast<const std::byte*>(of.x), nullptr, nullptr);
  made.of = each;
  if (each == accumulator::log_sum || fast) made.shape = order::chunks;
  made.piece_items = decided.items;
  made.outputs = decided.outputs;
  return made;
}

unsigned blocks_of(const nested_request& of, unsigned multiprocessors) {
  const std::int64_t groups = nested_threads / of.lanes, tasks = of.outputs * of.pieces;
  const std::int64_t each = has_short_rows(of)
                                ? blocks_of_short_rows(of, blocks_of_a_multiprocessor)
                                : blocks_of_a_multiprocessor;
  return unsigned(
      std::clamp<std::int64_t>((tasks + groups - 1) / groups, 1, each * multiprocessors));
}

}  // namespace onefold::cuda
