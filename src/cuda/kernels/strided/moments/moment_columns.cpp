// SPDX-License-Identifier: Apache-2.0
#include "cuda/kernels/strided/moments/moment_columns.hpp"

#include <algorithm>

#include "cuda/kernels/strided/describe.hpp"
#include "cuda/kernels/strided/strided_entry.hpp"
#include "cuda/plan/kernel_table.hpp"

namespace onefold::cuda {
namespace {

// A warp takes 0.3 ms for so many elements exactly; the launches that share longer columns take
// some microseconds if there are none.
constexpr std::int64_t longest_warp_column = std::int64_t(1) << 13;
constexpr std::int64_t exact_piece_items = std::int64_t(1) << 12;

}  // namespace

moment_columns moment_columns_of(const answer_query& by, void* out) {
  const request& request = by.request;
  const auto& plan = request.plan;
  moment_columns made;
  made.request = nest_of(request);
  made.request.accumulator = accumulator::moments;
  finish_list& list = made.request.finish;
  list.correction = std::int64_t(request.options.correction),
  list.status = request.options.status_out;
  list.answers[list.size++] = {out, by.op, by.output};
  made.lanes = lanes_of(request, by.multiprocessors);
  made.shares = made.lanes.count() > 1 && plan.items > longest_warp_column;
  made.request.piece_items = made.shares ? exact_piece_items : plan.items;
  made.request.pieces = (plan.items - 1) / made.request.piece_items + 1;
  return made;
}

std::size_t workspace_bytes_of(const moment_columns& columns) {
  return std::size_t(workspace_words_of(columns)) * sizeof(std::int64_t);
}

int launch_moment_columns(const moment_columns& columns, void* workspace, unsigned multiprocessors,
                          void* stream) {
  const std::int64_t most = 16 * std::int64_t(multiprocessors);
  return launch_steps_of(columns, static_cast<std::int64_t*>(workspace),
                         [&](const moment_columns& each, std::int64_t lanes) {
                           const std::int64_t blocks =
                               std::clamp<std::int64_t>((lanes - 1) / strided_threads + 1, 1, most);
                           return launch_moments_of_columns(each, unsigned(blocks), stream);
                         });
}

}  // namespace onefold::cuda
