// SPDX-License-Identifier: Apache-2.0
#include "cuda/segments/segments.hpp"

#include <driver_types.h>

#include "cuda/segments/entry.hpp"
#include "cuda/segments/shape.hpp"

namespace onefold::cuda {
namespace {

bool floats_serve(const segments_request& r) {
  const accumulator of = accumulator_of(r.what);
  if (of != accumulator::total && of != accumulator::magnitudes && of != accumulator::squares)
    return false;
  if (r.nan != nan_policy::propagate) return false;
  if (r.input == dtype::f64) return r.output == dtype::f64;
  return is_floating(r.output) && r.output != dtype::f64;
}

// Fast sums are the same 64 bits, wrapped.
bool integers_serve(const segments_request& r) {
  const bool whole = r.output == dtype::i64 || r.output == dtype::u64;
  if (r.what == op::sum) return whole || (r.output == dtype::f64 && r.accuracy == accuracy::exact);
  return r.what == op::mean && r.output == dtype::f64 && r.accuracy == accuracy::exact;
}

bool selections_serve(const segments_request& r) {
  if (accumulator_of(r.what) == accumulator::bits && is_floating(r.input)) return false;
  return r.output == default_output(r.what, r.input);
}

segments_launcher launcher_of(const segments_request& r) {
  if (segments_take_rows(r.what)) return segment_selections(r.what, r.input);
  if (!is_floating(r.input)) return segment_integer_totals(r.input);
  if (is_fast(r)) return fast_segment_sums(r.input);
  const accumulator of = accumulator_of(r.what);
  return of == accumulator::total ? segment_totals(r.input) : segment_norms(of, r.input);
}

constexpr std::size_t most_sum_words = 3;

}  // namespace

bool segments_serve(const segments_request& request) {
  if (segments_take_rows(request.what)) return selections_serve(request);
  return is_floating(request.input) ? floats_serve(request) : integers_serve(request);
}

std::size_t segments_workspace_bytes(const segments_request& request, const segments_block& block) {
  if (block.count == 0) return 0;
  const auto shape = shape_of_segments(request, block);
  return segments_workspace(shape, most_sum_words).bytes;
}

int launch_segments(const segments_request& request, const segments_block& block, void* workspace,
                    void* stream) {
  if (!segments_serve(request)) return int(cudaErrorNotSupported);
  if (block.count == 0) return int(cudaSuccess);
  return launcher_of(request)(request, block, workspace, stream);
}

}  // namespace onefold::cuda
