// SPDX-License-Identifier: Apache-2.0
// A row of the table of kernels of whole arrays.
#pragma once

#include "cuda/kernels/whole/whole.hpp"

namespace onefold::cuda {

/// Of kernels with few registers. With four loads of 16 bytes a thread there are 128 KiB on their
/// way to each multiprocessor.
inline constexpr unsigned usual_threads = 256, usual_blocks_each = 8;

/// Of arrays that are done sooner by blocks of fewer warps.
inline constexpr unsigned few_threads = 128;

/// Of floats that window_sum.cuh adds up: vectors of a thread, threads of a block, blocks of a
/// cluster at most.
inline constexpr unsigned most_window_vectors = 4, most_window_threads = 256,
                          most_window_blocks = 16;

struct whole_entry {
  std::size_t workspace_bytes = 0;
  /// Of a block, and the blocks that a multiprocessor works on at a time: as many as registers let
  /// it have. More would come in a second wave that does not fill it.
  unsigned threads = usual_threads, blocks_each = usual_blocks_each;
  /// As launch_whole, of a request of this accumulator and type; null: there is no kernel.
  int (*launch)(const whole_request& request, grid_shape grid, void* workspace, std::int64_t* words,
                void* stream) = nullptr;
  /// Of a block of a small array.
  unsigned least_threads = usual_threads;
  /// Enqueues the kernel that writes whether it has decided the answers; null: there is none.
  int (*launch_quick)(const whole_request& request, unsigned blocks, void* workspace,
                      std::int64_t* decided, void* stream) = nullptr;
};

/// Enqueues the kernel of a window. Returns a cudaError_t as int.
int launch_window(const whole_request& request, grid_shape grid, void* stream);

/// The rows of one file each.
whole_entry floating_entry(accumulator kind, dtype input, sum_lanes lanes);
whole_entry integer_entry(accumulator kind, dtype input);
whole_entry moments_entry(dtype input);                 ///< of integers too
whole_entry with_quick(whole_entry made, dtype input);  ///< of moments and squares of floats
whole_entry exponentials_entry(dtype input);
whole_entry selection_entry(accumulator kind, dtype input);  ///< extrema, counts, bits

}  // namespace onefold::cuda
