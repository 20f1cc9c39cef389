// SPDX-License-Identifier: Apache-2.0
#include "cuda/nested/moments/columns.hpp"

#include <algorithm>

#include "cuda/kernel_table.hpp"
#include "cuda/nested/describe.hpp"
#include "cuda/nested/entry.hpp"

namespace onefold::cuda {
namespace {

constexpr std::int64_t lanes_of_a_multiprocessor = 1024;
constexpr std::int64_t least_part_items = 64;

// As many as keep the device busy once; with one more some lanes would work twice.
std::int64_t parts_of(const plan& plan, unsigned multiprocessors) {
  const std::int64_t lanes = multiprocessors * lanes_of_a_multiprocessor;
  const std::int64_t most = std::max<std::int64_t>(plan.items / least_part_items, 1);
  return std::clamp<std::int64_t>(lanes / plan.outputs, 1, most);
}

}  // namespace

moment_columns moment_columns_of(const answer_query& by, void* out) {
  const request& of = by.of;
  const auto& plan = of.plan;
  moment_columns made;
  made.of = described(of, static_cast<const std::byte*>(of.x), nullptr, nullptr);
  made.of.of = accumulator::moments;
  made.of.piece_items = plan.items, made.of.outputs = plan.outputs;
  finish_list& list = made.of.finish;
  list.correction = of.options.correction, list.status = of.options.status_out;
  list.answers[list.size++] = {out, by.what, by.output};
  made.parts = parts_of(plan, by.multiprocessors);
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
