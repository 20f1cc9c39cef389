// SPDX-License-Identifier: Apache-2.0
// Entry points of the kernels of many answers: what a host asks for, without CUDA types.
#pragma once

#include <cstddef>
#include <cstdint>

#include "onefold/accuracy.hpp"
#include "onefold/detail/config.hpp"
#include "onefold/dtype.hpp"
#include "onefold/op.hpp"

namespace onefold::cuda {

struct batched_request {
  onefold::op op = onefold::op::sum;  ///< sum, mean, norm1, norm2, sumsq
  onefold::accuracy accuracy = onefold::accuracy::exact;
  dtype input = dtype::f32;
  dtype output = dtype::f32;
};

/// Where the columns of a block are, in elements. Those of a contiguous block are no different.
struct column_places {
  static constexpr int most_axes = 3;
  int axes = 0;                                                 ///< of outer, outermost first
  std::int64_t extents[most_axes] = {}, outer[most_axes] = {};  ///< from one index to the next
  std::int64_t inner = 1, row = 0, across = 0;

  /// The place of the first element of index o of outer.
  ONEFOLD_HOST_DEVICE constexpr std::int64_t of_outer(std::int64_t o) const {
    std::int64_t place = 0;
    for (int a = axes - 1; a > 0; --a) {
      const std::int64_t rest = o / extents[a];
      place += (o - rest * extents[a]) * outer[a], o = rest;
    }
    return axes > 0 ? place + o * outer[0] : 0;
  }
};

/// Of a contiguous x[across][outer][n][inner].
constexpr column_places contiguous_places(std::int64_t outer, std::int64_t n, std::int64_t inner) {
  return {1, {outer}, {n * inner}, 1, inner, outer * n * inner};
}

/// Answers of x[across][outer][n][inner], one for each of outer and inner: rows where inner is 1,
/// else columns. Rows are contiguous, and follow each other. All in device memory, aligned to their
/// elements.
struct batched_block {
  const void* x = nullptr;
  std::int64_t outer = 1, n = 0, inner = 1;
  void* out = nullptr;             ///< outer * inner contiguous values of the output type
  unsigned multiprocessors = 132;  ///< of the device: what it can do at once, no matter of bits
  std::int64_t across = 1;
  column_places places{};  ///< of columns
};

/// Bytes of device memory that are zero before and after every launch.
inline constexpr std::size_t batched_cleared_bytes = 16;

/// Bytes of device memory that a launch needs besides; their contents do not matter.
std::size_t batched_workspace_bytes(const batched_request& request, const batched_block& block);

/// Enqueues one to three kernels that write the answers, each rounded once.
/// Precondition: the kernel table has the request, n * across <= 2^31, the workspace and what is
/// cleared are aligned to 8 bytes.
/// Returns a cudaError_t as int; 0 is success.
int launch_batched(const batched_request& request, const batched_block& block, void* workspace,
                   void* cleared, void* stream);

}  // namespace onefold::cuda
