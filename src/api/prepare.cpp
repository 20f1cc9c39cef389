// SPDX-License-Identifier: Apache-2.0
#include "api/prepare.hpp"

#include <string>

#include "onefold/reduce.hpp"
#include "request/reach.hpp"

namespace onefold {
namespace {

status no_such_output(const std::string& problem) {
  return {status_code::mismatch, problem};
}

// The shape of an operator's answers: the kept axes, and for minmax one more axis of two.
std::vector<std::int64_t> extents_of(op op, const array_view& x, const options& options) {
  auto shape = answer_shape(x, options);
  if (answers_of(op) > 1) shape.push_back(answers_of(op));
  return shape;
}

}  // namespace

status check_output(op op, const array_view& x, const options& options, const output_view& output) {
  const auto wanted = extents_of(op, x, options);
  const auto& axes = output.axes();
  bool same = std::size_t(axes.size()) == wanted.size();
  for (int i = 0; same && i < axes.size(); ++i) same = axes[i].extent == wanted[std::size_t(i)];
  const auto item_bytes = std::int64_t(size_bytes(output.type()));
  if (same && answers_of(op) > 1) same = axes[axes.size() - 1].stride_bytes == item_bytes;
  if (same && !lies_apart(axes, item_bytes)) return no_such_output(elements_share_bytes);
  if (same) return {};
  std::string text;
  for (const std::int64_t extent : wanted)
    text += (text.empty() ? "" : ", ") + std::to_string(extent);
  return no_such_output("the output of " + std::string(name(op)) + " has another shape than (" +
                        text + "), or answers of one index that do not lie side by side");
}

status check_and_plan(const machine& here, const op_list& ops, std::span<const array_view> views,
                      std::span<const output_view> outputs, const options& options, plan& plan) {
  if (auto fine = decide_plan(here, ops, views, options, {}, plan); !fine) return fine;
  if (int(outputs.size()) != ops.size())
    return no_such_output("there are " + std::to_string(ops.size()) + " operators and " +
                          std::to_string(outputs.size()) + " outputs");
  for (int i = 0; i < ops.size(); ++i)
    if (auto fine = check_output(ops[i], views[0], options, outputs[std::size_t(i)]); !fine)
      return fine;
  return {};
}

cuda::request request_of(const reduction& reduction) {
  const auto& plan = reduction.plan;
  return {
      plan,           reduction.options, reduction.x,     reduction.y, 0, plan.outputs * plan.items,
      reduction.mask, reduction.x_type,  reduction.y_type};
}

}  // namespace onefold
