// SPDX-License-Identifier: Apache-2.0
#include "cuda/segments/segments.hpp"

#include <driver_types.h>

#include "cuda/segments/entry.hpp"
#include "cuda/segments/shape.hpp"

namespace onefold::cuda {
namespace {

segments_launcher launcher_of(const segments_request& r) {
  if (segments_take_rows(r.what)) return segment_selections(r.what, r.input);
  if (!is_floating(r.input)) return segment_integer_totals(r.input);
  const accumulator of = accumulator_of(r.what);
  return of == accumulator::total ? segment_totals(r.input) : segment_norms(of, r.input);
}

constexpr std::size_t most_sum_words = 3;

}  // namespace

std::size_t segments_workspace_bytes(const segments_request& request, const segments_block& block) {
  if (block.count == 0) return 0;
  const auto shape = shape_of_segments(request, block);
  return segments_workspace(shape, most_sum_words).bytes;
}

int launch_segments(const segments_request& request, const segments_block& block, void* workspace,
                    void* stream) {
  const segments_launcher launch = launcher_of(request);
  if (launch == nullptr) return int(cudaErrorNotSupported);
  if (block.count == 0) return int(cudaSuccess);
  return launch(request, block, workspace, stream);
}

}  // namespace onefold::cuda
