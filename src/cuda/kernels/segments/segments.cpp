// SPDX-License-Identifier: Apache-2.0
#include "cuda/kernels/segments/segments.hpp"

#include <driver_types.h>

#include <algorithm>

#include "cuda/kernels/segments/columns/column_folds.hpp"
#include "cuda/kernels/segments/segments_entry.hpp"
#include "cuda/kernels/segments/segments_shape.hpp"
#include "cuda/loaders/column_parts.hpp"

namespace onefold::cuda {
namespace {

segments_launcher launcher_of(const segments_request& r) {
  if (segments_take_rows(r.op)) return segment_selections(r.op, r.input);
  if (!is_floating(r.input)) return segment_integer_totals(r.input);
  const accumulator kind = accumulator_of(r.op);
  return kind == accumulator::total ? segment_totals(r.input) : segment_norms(kind, r.input);
}

constexpr std::size_t most_sum_words = 3;

constexpr std::int64_t lanes_of_a_multiprocessor = 1024;
constexpr std::int64_t least_part_rows = 64;
constexpr std::int64_t most_column_words = 5;

// As many as keep the device busy once; with one more some lanes would work twice.
std::int64_t parts_of(const columns_block& block) {
  const std::int64_t lanes = block.multiprocessors * lanes_of_a_multiprocessor;
  const std::int64_t most = std::max<std::int64_t>(block.n / least_part_rows, 1);
  return joined_parts(std::clamp<std::int64_t>(lanes / (block.outer * block.inner), 1, most),
                      block.inner, column_fold_threads);
}

}  // namespace

segments_launch plan_segments(const segments_request& request, const segments_block& block) {
  if (block.count == 0) return {request, block, {}, 0};
  const segments_shape shape = shape_of_segments(request, block);
  return {request, block, shape, segments_workspace(shape, most_sum_words).bytes};
}

int enqueue_segments(const segments_launch& launch, void* workspace, void* stream) {
  const segments_launcher launcher = launcher_of(launch.request);
  if (launcher == nullptr) return int(cudaErrorNotSupported);
  if (launch.block.count == 0) return int(cudaSuccess);
  return launcher(launch, workspace, stream);
}

column_folds_launch plan_column_folds(const segments_request& request, const columns_block& block) {
  const std::int64_t parts = parts_of(block);
  const std::int64_t sums = parts == 1 ? 0 : block.outer * block.inner * parts;
  return {request, block, parts, std::size_t(sums * most_column_words) * sizeof(std::int64_t)};
}

}  // namespace onefold::cuda
