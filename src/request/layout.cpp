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
  element_runs made;
  made.contiguous_items = reduced.empty() || (reduced.size() == 1 && adjoins(reduced[0]));
  made.contiguous_answers = !kept.empty() && adjoins(kept[kept.size() - 1]);

  // Sizes are powers of two: the low bits of an address and of all strides decide.
  auto x_bits = reinterpret_cast<std::uintptr_t>(x), y_bits = reinterpret_cast<std::uintptr_t>(y);
  for (const loop_nest* nest : {&kept, &reduced})
    for (const loop_axis& axis : *nest)
      x_bits |= std::uintptr_t(axis.x_bytes), y_bits |= std::uintptr_t(axis.y_bytes);
  const auto whole = [](std::uintptr_t bits, std::int64_t size) {
    return (bits & std::uintptr_t(size - 1)) == 0;
  };
  made.aligned = whole(x_bits, width) && (!two || whole(y_bits, y_width));
  return made;
}

layout layout_of(const plan& plan, const void* x, dtype x_type, const void* y, dtype y_type) {
  const loop_nest &kept = plan.kept, &reduced = plan.reduced;
  layout made = {runs_of(plan, x, x_type, y, y_type)};
  made.width = std::int64_t(size_bytes(x_type));
  std::int64_t answers = 1, step = made.width;
  made.in_order = plan.origin.index == 0;
  for (int i = kept.size() - 1; i >= 0; answers *= kept[i].extent, --i)
    made.in_order = made.in_order && kept[i].index_items == answers;

  // All axes, from the innermost outwards.
  made.dense = true;
  const auto next = [&](const loop_axis& axis) {
    made.dense = made.dense && axis.x_bytes == step;
    if (made.dense) step *= axis.extent;
  };
  int left = kept.size();
  const bool columns = !made.contiguous_items && made.contiguous_answers;
  const bool across = !columns && left == 1 && reduced.size() == 2;
  if (columns) made.inner = kept[left - 1].extent, next(kept[--left]);
  if (!reduced.empty()) next(reduced[reduced.size() - 1]);
  if (left == 1) next(kept[0]);
  if (across) next(reduced[0]);
  made.dense = made.dense && left <= 1 && reduced.size() <= (across ? 2 : 1);

  made.n = plan.items, made.outer = columns ? plan.outputs / made.inner : plan.outputs;
  if (plan.form == shape::full)
    made.form = layout_form::full;
  else if (made.contiguous_items || columns)
    made.form = columns ? layout_form::columns : layout_form::rows;
  else if (across && made.dense)
    made.form = layout_form::across, made.across = reduced[0].extent, made.n = reduced[1].extent;
  return made;
}

bool is_dense(const output_view& to) {
  auto step = std::int64_t(size_bytes(to.type()));
  for (int i = to.axes().size() - 1; i >= 0; step *= to.axes()[i].extent, --i)
    if (to.axes()[i].extent != 1 && to.axes()[i].stride_bytes != step) return false;
  return reinterpret_cast<std::uintptr_t>(to.data()) % size_bytes(to.type()) == 0;
}

}  // namespace onefold
