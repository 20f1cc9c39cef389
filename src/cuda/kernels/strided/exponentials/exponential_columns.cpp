// SPDX-License-Identifier: Apache-2.0
#include "cuda/kernels/strided/exponentials/exponential_columns.hpp"

#include <algorithm>

#include "cuda/kernels/strided/describe.hpp"
#include "cuda/kernels/strided/strided_entry.hpp"
#include "cuda/plan/kernel_table.hpp"

namespace onefold::cuda {
namespace {

// A warp takes so many elements exactly in some 0.1 ms; the launches that share longer answers take
// some microseconds if there are none.
constexpr std::int64_t longest_warp_answer = std::int64_t(1) << 13;
constexpr std::int64_t exact_piece_items = std::int64_t(1) << 12;

}  // namespace

exponential_columns exponential_columns_of(const answer_query& by, void* out) {
  const request& request = by.request;
  const auto& plan = request.plan;
  exponential_columns made;
  made.request = nest_of(request);
  made.request.accumulator = accumulator::exponentials;
  finish_list& list = made.request.finish;
  list.nan = plan.nan_policy, list.status = request.options.status_out;
  list.answers[list.size++] = {out, by.op, by.output};
  made.lanes = lanes_of(request, by.multiprocessors);
  made.shares = made.lanes.count() > 1 && plan.items > longest_warp_answer;
  made.request.piece_items = made.shares ? exact_piece_items : plan.items;
  made.request.pieces = (plan.items - 1) / made.request.piece_items + 1;
  return made;
}

std::size_t workspace_bytes_of(const exponential_columns& columns) {
  return std::size_t(workspace_words_of(columns)) * sizeof(std::int64_t);
}

int launch_exponential_columns(const exponential_columns& columns, void* workspace,
                               unsigned multiprocessors, void* stream) {
  const std::int64_t most = 16 * std::int64_t(multiprocessors);
  return launch_steps_of(columns, static_cast<std::int64_t*>(workspace),
                         [&](const exponential_columns& each, std::int64_t lanes) {
                           const std::int64_t blocks =
                               std::clamp<std::int64_t>((lanes - 1) / strided_threads + 1, 1, most);
                           return launch_exponentials_of_columns(each, unsigned(blocks), stream);
                         });
}

}  // namespace onefold::cuda
