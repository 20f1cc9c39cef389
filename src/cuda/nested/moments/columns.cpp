// SPDX-License-Identifier: Apache-2.0
#include "cuda/nested/moments/columns.hpp"

#include <algorithm>

#include "cuda/nested/describe.hpp"
#include "cuda/nested/entry.hpp"

namespace onefold::cuda {
namespace {

constexpr std::int64_t lanes_of_a_multiprocessor = 1024;
constexpr std::int64_t least_part_items = 64;
// Columns that are not decided are a warp's, which takes 10 ms for so many elements.
constexpr std::int64_t longest_column = std::int64_t(1) << 18;

bool has_neighbouring_columns(const plan& plan) {
  const std::int64_t width = std::int64_t(size_bytes(plan.input));
  return plan.reduced.size() == 1 && !plan.kept.empty() &&
         plan.kept[plan.kept.size() - 1].x_bytes == width && plan.items <= longest_column &&
         has_answers_in_order(plan);
}

bool is_spread(const plan& plan, op what, dtype output) {
  const bool narrow = is_floating(output) && output != dtype::f64;
  return (what == op::var || what == op::stddev) && narrow && plan.accuracy == accuracy::exact &&
         nested_rounds(accumulator::moments, plan.input, plan.accuracy);
}

// As many as keep the device busy once; with one more some lanes would work twice.
std::int64_t parts_of(const plan& plan, unsigned multiprocessors) {
  const std::int64_t lanes = multiprocessors * lanes_of_a_multiprocessor;
  const std::int64_t most = std::max<std::int64_t>(plan.items / least_part_items, 1);
  return std::clamp<std::int64_t>(lanes / plan.outputs, 1, most);
}

}  // namespace

std::optional<moment_columns> moment_columns_of(const request& of, op what, void* out, dtype output,
                                                unsigned multiprocessors) {
  const auto& plan = of.plan;
  const bool plain = !plan.masked && !plan.mapped && plan.items > of.options.correction &&
                     of.options.correction >= 0 && plan.nan_policy == nan_policy::propagate;
  if (!plain || !is_spread(plan, what, output) || !has_neighbouring_columns(plan))
    return std::nullopt;
  moment_columns made;
  made.of = described(of, static_cast<const std::byte*>(of.x), nullptr, nullptr);
  if (!made.of.aligned) return std::nullopt;
  made.of.of = accumulator::moments;
  made.of.piece_items = plan.items, made.of.outputs = plan.outputs;
  finish_list& list = made.of.finish;
  list.correction = of.options.correction, list.status = of.options.status_out;
  list.answers[list.size++] = {out, what, output};
  made.parts = parts_of(plan, multiprocessors);
  return made;
}

std::size_t workspace_bytes_of(const moment_columns& of) {
  return of.parts == 1 ? 0 : 2 * std::size_t(of.parts * of.of.outputs) * sizeof(double);
}

int launch_moment_columns(moment_columns of, void* workspace, unsigned multiprocessors,
                          void* stream) {
  of.partials = static_cast<std::int64_t*>(workspace);
  const std::int64_t most = 16 * std::int64_t(multiprocessors);
  const auto blocks = [&](std::int64_t wanted) {
    return unsigned(std::clamp<std::int64_t>(wanted, 1, most));
  };
  const std::int64_t lanes = of.parts * of.of.outputs;
  const int code = launch_moments_of_columns(of, blocks((lanes - 1) / nested_threads + 1), stream);
  if (code != 0 || of.parts == 1) return code;
  of.joins = true;
  return launch_moments_of_columns(of, blocks(of.of.outputs), stream);
}

}  // namespace onefold::cuda
