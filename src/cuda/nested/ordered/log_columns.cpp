// SPDX-License-Identifier: Apache-2.0
#include "cuda/nested/ordered/log_columns.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>

#include "cuda/kernel_table.hpp"
#include "cuda/nested/describe.hpp"
#include "request/tuning.hpp"

namespace onefold::cuda {
namespace {

constexpr std::int64_t lanes_of_a_multiprocessor = 1024;
constexpr std::int64_t least_part_items = 64;

std::int64_t chunks_of(const log_columns& of) {
  return of.of.outputs * of.of.pieces;
}

}  // namespace

log_columns log_columns_of(const answer_query& by, void* out) {
  const request& of = by.of;
  log_columns made;
  made.of = finished_nest(of, accumulator::log_sum);
  made.of.piece_items = std::min(of.plan.items, tuning::chunk_items);
  made.of.pieces = (of.plan.items - 1) / made.of.piece_items + 1;
  finish_list& list = made.of.finish;
  list.nan = of.plan.nan_policy, list.status = of.options.status_out;
  list.answers[list.size++] = {out, by.what, by.output};
  const std::int64_t lanes = by.multiprocessors * lanes_of_a_multiprocessor;
  const std::int64_t most = std::max<std::int64_t>(made.of.piece_items / least_part_items, 1);
  made.parts = std::clamp<std::int64_t>(lanes / chunks_of(made), 1, most);
  return made;
}

std::size_t workspace_bytes_of(const log_columns& of) {
  return std::size_t(chunks_of(of)) * (sizeof *of.sums + sizeof *of.tops);
}

int launch_log_columns(log_columns of, void* workspace, unsigned multiprocessors, void* stream) {
  of.sums = static_cast<unsigned long long*>(workspace);
  of.tops = reinterpret_cast<unsigned*>(of.sums + chunks_of(of));
  const cudaError_t code =
      cudaMemsetAsync(workspace, 0, workspace_bytes_of(of), static_cast<cudaStream_t>(stream));
  if (code != cudaSuccess) return int(code);
  for (const log_step step : {log_step::largest, log_step::terms, log_step::answers}) {
    of.step = step;
    const std::int64_t lanes = step != log_step::answers ? chunks_of(of) * of.parts
                               : of.of.pieces == 1       ? of.of.outputs
                                                         : of.of.outputs * 32;
    const std::int64_t most = 16 * std::int64_t(multiprocessors);
    const std::int64_t blocks = std::min((lanes - 1) / nested_threads + 1, most);
    if (const int failed = launch_log_columns_step(of, unsigned(blocks), stream); failed != 0)
      return failed;
  }
  return 0;
}

}  // namespace onefold::cuda
