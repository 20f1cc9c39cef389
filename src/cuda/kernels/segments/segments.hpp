// SPDX-License-Identifier: Apache-2.0
// Entry points of the kernels of segments: what a host asks for, without CUDA types.
#pragma once

#include <cstddef>
#include <cstdint>

#include "onefold/accuracy.hpp"
#include "onefold/dtype.hpp"
#include "onefold/nan_policy.hpp"
#include "onefold/op.hpp"
#include "state/accumulator.hpp"

namespace onefold::cuda {

struct segments_request {
  onefold::op op = onefold::op::sum;
  onefold::accuracy accuracy = onefold::accuracy::exact;
  nan_policy nan = nan_policy::propagate;
  dtype input = dtype::f32;
  dtype output = dtype::f32;
};

/// Answer k is that of the contiguous elements offsets[k] … offsets[k + 1] - 1 of x, or of row k:
/// elements k length … (k + 1) length - 1. All in device memory, aligned to their elements.
struct segments_block {
  const void* x = nullptr;
  std::int64_t items = 0;  ///< of x: no element from there on is read, whatever the offsets
  const std::int64_t* offsets = nullptr;  ///< count + 1; null: rows
  std::int64_t count = 0;
  void* out = nullptr;  ///< contiguous: count values of the output type, twice as many for minmax
  std::int64_t first_index = 0;  ///< of x[0], for positions; of rows, of the first element of each
  std::int64_t length = 0;       ///< of a row; 0 where there are offsets
};

/// What the device found, a bit each, in the first word of the workspace.
enum segments_finding : std::uint64_t {
  offsets_are_wrong = 1,  ///< they fall or reach beyond x; the answers mean nothing
  sum_does_not_fit = 2,
  segment_is_empty = 4,
  met_nan = 8,
  segment_is_too_long = 16,  ///< more than 2^31 integers, whose counters might overflow
};

/// Whether it is no sum, and its kernels take rows too: extrema, counts and bits. Defined here: the
/// tests of the kernels ask it where the library has no CUDA engine.
inline bool segments_take_rows(op op) {
  const accumulator kind = accumulator_of(op);
  return kind == accumulator::extrema || kind == accumulator::counts || kind == accumulator::bits;
}

/// How segments are cut into work ranges: shape_of_segments (shape.hpp).
struct segments_shape {
  bool leave_first;             ///< whether elements do, of the second cache
  std::int64_t segment_weight;  ///< of an end, in elements
  std::int64_t work_range;      ///< weight of a warp's share, in the early blocks
  std::int64_t late;            ///< the same in the others
  std::int64_t early;           ///< the number of early blocks
  std::int64_t blocks;          ///< all, of four warps
};

struct segments_launch {
  segments_request request;
  segments_block block;
  segments_shape shape;
  std::size_t workspace_bytes;  ///< device memory besides the data
};

segments_launch plan_segments(const segments_request& request, const segments_block& block);

/// Enqueues one kernel that writes the answers, each rounded once, and its findings.
/// Precondition: the kernel table has the request; the workspace is aligned to 16 bytes, and zero
/// or as the same launch left it, which found nothing. Returns a cudaError_t as int; 0 is success.
int enqueue_segments(const segments_launch& launch, void* workspace, void* stream);

}  // namespace onefold::cuda
