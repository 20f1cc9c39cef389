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
// Parts of a window are smaller, so that the last ones take less time: a GiB 352 -> 325 us (H200).
constexpr std::int64_t window_parts = 2;
// The atomics of a row's parts wait for each other: 64 rows of 128256 f32 with 1024 291 us (H200).
constexpr std::int64_t most_parts_of_rows = 128;
constexpr std::int64_t least_part_items = 64;
constexpr std::int64_t least_window_items = 4096;  // the windows are 2 % of f32 data, or less

}  // namespace

log_columns log_columns_of(const answer_query& by, void* out) {
  const request& of = by.of;
  log_columns made;
  made.of = finished_nest(of, accumulator_of(by.what));
  made.of.piece_items = std::min(of.plan.items, tuning::chunk_items);
  made.of.pieces = (of.plan.items - 1) / made.of.piece_items + 1;
  finish_list& list = made.of.finish;
  list.nan = of.plan.nan_policy, list.status = of.options.status_out;
  list.answers[list.size++] = {out, by.what, by.output};
  const nest_axis& last = made.of.axes.axis[made.of.axes.kept - 1];
  const std::int64_t lanes = by.multiprocessors * lanes_of_a_multiprocessor;
  const std::int64_t most = std::max<std::int64_t>(made.of.piece_items / least_part_items, 1);
  made.in_windows = made.of.piece_items >= least_window_items;
  made.parts = std::clamp<std::int64_t>(lanes / chunks_of(made), 1, most);
  if (by.elements.contiguous_answers)
    made.inner = last.extent;
  else
    made.parts = std::min((made.parts + 31) / 32 * 32, most_parts_of_rows);
  return made;
}

int launch_log_columns(log_columns of, void* workspace, unsigned multiprocessors, void* stream) {
  use_workspace(of, workspace);
  const cudaError_t code =
      cudaMemsetAsync(workspace, 0, workspace_bytes_of(of), static_cast<cudaStream_t>(stream));
  if (code != cudaSuccess) return int(code);
  const std::int64_t parts = of.parts;
  for (const log_step step : steps_of(of)) {
    of.step = step, of.parts = step == log_step::window ? window_parts * parts : parts;
    const std::int64_t lanes = step != log_step::answers ? chunks_of(of) * of.parts
                               : of.of.pieces == 1       ? of.of.outputs
                                                         : of.of.outputs * 32;
    const std::int64_t most = 32 * std::int64_t(multiprocessors);
    const std::int64_t blocks = std::min((lanes - 1) / nested_threads + 1, most);
    if (const int failed = launch_log_columns_step(of, unsigned(blocks), stream); failed != 0)
      return failed;
  }
  return 0;
}

}  // namespace onefold::cuda
