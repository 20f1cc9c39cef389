// SPDX-License-Identifier: Apache-2.0
#include "cuda/kernels/strided/describe.hpp"

#include <algorithm>
#include <cstdlib>

#include "cuda/kernels/strided/exponentials/exponential_rows.hpp"
#include "cuda/kernels/strided/moments/moment_rows.hpp"
#include "cuda/plan/kernel_table.hpp"
#include "request/request.hpp"
#include "request/tuning.hpp"

namespace onefold::cuda {
namespace {

constexpr std::int64_t blocks_of_a_multiprocessor = 16;

axis_nest axes_of(const plan& from) {
  axis_nest made;
  for (const loop_nest* nest : {&from.kept, &from.reduced})
    for (const loop_axis& axis : *nest)
      made.axis[made.all++] = {axis.extent, axis.x_bytes, axis.y_bytes, axis.mask_bytes};
  made.kept = from.kept.size();
  return made;
}

unsigned blocks_of_moments(const strided_request& request, const moment_rows& by,
                           unsigned multiprocessors) {
  if (request.x_kind.type == dtype::f64)
    return blocks_of(by.rows, multiprocessors, heavy_steps, double_row_blocks);
  // Tiles of one or two rows are like pieces of rows: each time as many blocks is slower
  // (measured).
  const bool long_rows = by.rows.vectors && by.rows.shape.rows <= 2;
  return blocks_of(by.rows, multiprocessors, long_rows ? all_steps : heavy_steps);
}

}  // namespace

ordered_cut ordered_cut_of(const request& request) {
  const auto& plan = request.plan;
  const std::int64_t piece = std::min(plan.items, tuning::chunk_items);
  return {order::chunks, (plan.items - 1) / piece + 1, piece};
}

strided_request described(const request& request, const std::byte* x, const std::byte* y,
                          const std::byte* mask) {
  const auto& plan = request.plan;
  strided_request made;
  made.input = plan.input;
  made.items = plan.items;
  made.x = x, made.y = y, made.mask = mask;
  made.x_kind = kind_of(request.x_type), made.y_kind = kind_of(request.y_type);
  made.axes = axes_of(plan);
  made.aligned = runs_of(plan, x, request.x_type, y, request.y_type).aligned;
  return made;
}

strided_request nest_of(const request& request) {
  strided_request made =
      described(request, static_cast<const std::byte*>(request.x), nullptr, nullptr);
  made.outputs = request.plan.outputs;
  return made;
}

bool are_columns(const plan& plan) {
  const loop_nest &kept = plan.kept, &reduced = plan.reduced;
  return !kept.empty() && (reduced.empty() || std::llabs(kept[kept.size() - 1].x_bytes) <=
                                                  std::llabs(reduced[reduced.size() - 1].x_bytes));
}

strided_request finished_nest(const request& request, accumulator each) {
  const auto& plan = request.plan;
  strided_request made = nest_of(request);
  made.accumulator = each;
  if (is_ordered(each, plan.accuracy, plan.input)) made.shape = order::chunks;
  made.piece_items = plan.items;
  return made;
}

column_parts lanes_of(const request& request, unsigned multiprocessors) {
  const loop_nest &kept = request.plan.kept, &reduced = request.plan.reduced;
  const auto axis = [&](int a) {
    return a < 0 ? shared_axis() : shared_axis(reduced[a].extent, reduced[a].x_bytes);
  };
  const int last = reduced.size() - 1;
  const std::int64_t neighbours = are_columns(request.plan) ? kept[kept.size() - 1].extent : 1;
  return column_parts_of(request.plan.outputs, neighbours, axis(last - 1), axis(last),
                         multiprocessors, strided_threads);
}

unsigned blocks_of(const strided_request& request, unsigned multiprocessors) {
  if (request.accumulator == accumulator::moments && request.shape == order::none)
    if (const auto rows = moment_rows_of(request))
      return blocks_of_moments(request, *rows, multiprocessors);
  if (const auto rows = exponential_rows_of(request))
    return blocks_of(*rows, multiprocessors, heavy_steps,
                     request.x_kind.type == dtype::f64 ? double_exponential_blocks
                                                       : exponential_blocks);
  const std::int64_t groups = strided_threads / request.lanes,
                     tasks = request.outputs * request.pieces;
  return unsigned(std::clamp<std::int64_t>((tasks + groups - 1) / groups, 1,
                                           blocks_of_a_multiprocessor * multiprocessors));
}

}  // namespace onefold::cuda
