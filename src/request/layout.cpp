// SPDX-License-Identifier: Apache-2.0
#include "request/layout.hpp"

namespace onefold {

element_runs runs_of(const plan& plan, const void* x, dtype x_type, const void* y, dtype y_type) {
  const loop_nest &kept = plan.kept, &reduced = plan.reduced;
  const bool two = plan.ops.size() > 0 && inputs_of(plan.ops[0]) == 2;
  const auto width = std::int64_t(size_bytes(x_type)), y_width = std::int64_t(size_bytes(y_type));
  const auto adjoins = [&](const loop_axis& axis) {
    return axis.x_bytes == width && (!two || axis.y_bytes == y_width);
  };
  element_runs runs;
  runs.contiguous_items = reduced.empty() || (reduced.size() == 1 && adjoins(reduced[0]));
  runs.contiguous_answers = !kept.empty() && adjoins(kept[kept.size() - 1]);

  // Sizes are powers of two: the low bits of an address and of all strides decide.
  auto x_bits = reinterpret_cast<std::uintptr_t>(x), y_bits = reinterpret_cast<std::uintptr_t>(y);
  for (const loop_nest* nest : {&kept, &reduced})
    for (const loop_axis& axis : *nest)
      x_bits |= std::uintptr_t(axis.x_bytes), y_bits |= std::uintptr_t(axis.y_bytes);
  const auto whole = [](std::uintptr_t bits, std::int64_t size) {
    return (bits & std::uintptr_t(size - 1)) == 0;
  };
  runs.aligned = whole(x_bits, width) && (!two || whole(y_bits, y_width));
  return runs;
}

layout layout_of(const plan& plan, const void* x, dtype x_type, const void* y, dtype y_type) {
  const loop_nest &kept = plan.kept, &reduced = plan.reduced;
  layout layout = {runs_of(plan, x, x_type, y, y_type)};
  layout.width = std::int64_t(size_bytes(x_type));
  std::int64_t answers = 1, step = layout.width;
  layout.in_order = plan.origin.index == 0;
  for (int i = kept.size() - 1; i >= 0; answers *= kept[i].extent, --i)
    layout.in_order = layout.in_order && kept[i].index_items == answers;

  // All axes, from the innermost outwards.
  layout.dense = true;
  const auto next = [&](const loop_axis& axis) {
    layout.dense = layout.dense && axis.x_bytes == step;
    if (layout.dense) step *= axis.extent;
  };
  int left = kept.size();
  const bool columns = !layout.contiguous_items && layout.contiguous_answers;
  const bool across = !columns && left == 1 && reduced.size() == 2;
  if (columns) layout.inner = kept[left - 1].extent, next(kept[--left]);
  if (!reduced.empty()) next(reduced[reduced.size() - 1]);
  if (left == 1) next(kept[0]);
  if (across) next(reduced[0]);
  layout.dense = layout.dense && left <= 1 && reduced.size() <= (across ? 2 : 1);

  layout.n = plan.items, layout.outer = columns ? plan.outputs / layout.inner : plan.outputs;
  if (plan.form == shape::full)
    layout.form = layout_form::full;
  else if (layout.contiguous_items || columns)
    layout.form = columns ? layout_form::columns : layout_form::rows;
  else if (across && layout.dense)
    layout.form = layout_form::across, layout.across = reduced[0].extent,
    layout.n = reduced[1].extent;
  return layout;
}

bool is_dense(const output_view& output) {
  auto step = std::int64_t(size_bytes(output.type()));
  for (int i = output.axes().size() - 1; i >= 0; step *= output.axes()[i].extent, --i)
    if (output.axes()[i].extent != 1 && output.axes()[i].stride_bytes != step) return false;
  return reinterpret_cast<std::uintptr_t>(output.data()) % size_bytes(output.type()) == 0;
}

}  // namespace onefold
