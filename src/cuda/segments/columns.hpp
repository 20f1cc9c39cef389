// SPDX-License-Identifier: Apache-2.0
// Entry points for extrema, counts and bits of columns: what a host asks for, without CUDA types.
#pragma once

#include "cuda/segments/segments.hpp"

namespace onefold::cuda {

/// Answer k = (o, c) is that of x[o][0 … n - 1][c], contiguous. All in device memory, aligned to
/// their elements.
struct columns_block {
  const void* x = nullptr;
  std::int64_t outer = 1, n = 0, inner = 1;
  void* out = nullptr;           ///< as segments_block's
  std::int64_t first_index = 0;  ///< of the first element of each, for positions
  unsigned multiprocessors = 132;
};

/// Bytes of device memory that a launch needs besides its data; its contents do not matter.
std::size_t selected_columns_bytes(const columns_block& block);

/// Enqueues one or two launches of a kernel that writes the answers. What it finds, as
/// launch_segments does, goes nowhere. Precondition: segments_take_rows(request.what),
/// the kernel table has the request, 0 < n <= 2^30; the workspace is aligned to 8 bytes. Returns a
/// cudaError_t as int; 0 is success.
int launch_selected_columns(const segments_request& request, const columns_block& block,
                            void* workspace, void* stream);

}  // namespace onefold::cuda
