// SPDX-License-Identifier: Apache-2.0
#include "cuda/kernels/segments/segments.hpp"

#include <driver_types.h>

#include "cuda/kernels/segments/segments_entry.hpp"
#include "cuda/kernels/segments/segments_shape.hpp"

namespace onefold::cuda {
namespace {

segments_launcher launcher_of(const segments_request& r) {
  if (segments_take_rows(r.op)) return segment_selections(r.op, r.input);
  if (!is_floating(r.input)) return segment_integer_totals(r.input);
  const accumulator kind = accumulator_of(r.op);
  return kind == accumulator::total ? segment_totals(r.input) : segment_norms(kind, r.input);
}

constexpr std::size_t most_sum_words = 3;

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

}  // namespace onefold::cuda
