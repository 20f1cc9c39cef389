// SPDX-License-Identifier: Apache-2.0
// A row of the table of kernels of whole arrays.
#pragma once

#include "cuda/launch.hpp"

namespace onefold::cuda {

/// Of kernels with few registers. With four loads of 16 bytes a thread there are 128 KiB on their
/// way to each multiprocessor.
inline constexpr unsigned usual_threads = 256, usual_blocks_each = 8;

struct full_entry {
  int words = 0;  ///< 0: there is no kernel
  std::size_t workspace_bytes = 0;
  unsigned threads = usual_threads;          ///< of a block
  unsigned blocks_each = usual_blocks_each;  ///< that a multiprocessor works on at a time
  /// As launch_full, of a request of this family and type.
  int (*launch)(const full_request& of, grid_shape grid, void* workspace, std::int64_t* words,
                void* stream) = nullptr;
};

full_entry floating_entry(family of, dtype input);
full_entry integer_entry(family of, dtype input);
full_entry moments_entry(dtype input);

}  // namespace onefold::cuda
