// SPDX-License-Identifier: Apache-2.0
#include "cuda/kernels/strided/describe.hpp"

#include <algorithm>

#include "cuda/kernels/strided/exponentials/exponential_rows.hpp"
#include "cuda/kernels/strided/moments/moment_rows.hpp"
#include "cuda/plan/kernel_table.hpp"
#include "request/request.hpp"
#include "request/tuning.hpp"

namespace onefold::cuda {
namespace {

constexpr std::int64_t blocks_of_a_multiprocessor = 16;

axis_nest nest_of(const plan& from) {
  axis_nest made;
  for (const loop_nest* nest : {&from.kept, &from.reduced})
    for (const loop_axis& axis : *nest)
      made.axis[made.all++] = {axis.extent, axis.x_bytes, axis.y_bytes, axis.mask_bytes};
  made.kept = from.kept.size();
  return made;
}

unsigned blocks_of_moments(const nested_request& of, const moment_rows& by,
                           unsigned multiprocessors) {
  if (of.x_kind.type == dtype::f64)
    return blocks_of(by.rows, multiprocessors, heavy_steps, double_row_blocks);
  // Tiles of one or two rows are like pieces of rows: each time as many blocks is slower
  // (measured).
  const bool long_rows = by.rows.vectors && by.rows.shape.rows <= 2;
  return blocks_of(by.rows, multiprocessors, long_rows ? all_steps : heavy_steps);
}

}  // namespace

ordered_cut ordered_cut_of(const request& of) {
  const auto& plan = of.plan;
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
  made.aligned = runs_of(plan, x, of.x_type, y, of.y_type).aligned;
  return made;
}

nested_request finished_nest(const request& of, accumulator each) {
  const auto& plan = of.plan;
  nested_request made = described(of, static_cast<const std::byte*>(of.x), nullptr, nullptr);
  made.of = each;
  if (is_ordered(each, plan.accuracy, plan.input)) made.shape = order::chunks;
  made.piece_items = plan.items;
  made.outputs = plan.outputs;
  return made;
}

unsigned blocks_of(const nested_request& of, unsigned multiprocessors) {
  if (of.of == accumulator::moments && of.shape == order::none)
    if (const auto rows = moment_rows_of(of)) return blocks_of_moments(of, *rows, multiprocessors);
  if (const auto rows = exponential_rows_of(of))
    return blocks_of(*rows, multiprocessors, heavy_steps,
                     of.x_kind.type == dtype::f64 ? double_exponential_blocks : exponential_blocks);
  const std::int64_t groups = nested_threads / of.lanes, tasks = of.outputs * of.pieces;
  return unsigned(std::clamp<std::int64_t>((tasks + groups - 1) / groups, 1,
                                           blocks_of_a_multiprocessor * multiprocessors));
}

}  // namespace onefold::cuda
