// SPDX-License-Identifier: Apache-2.0
// Entry points of the kernels of whole contiguous arrays: what a host asks for, without CUDA types.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cuda/rounding/epilogue_outputs.hpp"
#include "onefold/dtype.hpp"
#include "state/accumulator.hpp"

namespace onefold::cuda {

/// What a sum's cascade adds in. Which it is changes no bit.
enum class sum_lanes : unsigned char {
  usual,    ///< as measured where float64 is half as fast as float32: float32 for bf16 alone
  float32,  ///< sums and norm1 of f32 and f16 too; all else as usual
};

/// Lanes for a device that does so many operations of float32 in the time of one of float64.
sum_lanes suited_lanes(int float32_per_float64);

/// One whole array, or two of the same length, contiguous in device memory, aligned to their
/// elements.
struct whole_request {
  onefold::accumulator accumulator;
  dtype input;
  const void* x = nullptr;
  const void* y = nullptr;
  std::int64_t n = 0;
  sum_lanes lanes = sum_lanes::usual;
  finish_list finish{};
};

struct grid_shape {
  unsigned blocks;
  unsigned threads;
  bool window = false;  ///< the blocks are one cluster, which adds floats up in a window
};

/// Bytes of device memory that a launch needs besides its data. Zero before the first launch; every
/// launch leaves it zero.
std::size_t workspace_bytes(accumulator kind, dtype input);

/// 64-bit words of the accumulator's state, in the order of its for_each_word.
int state_words(accumulator kind, dtype input);

/// The grid that reads n elements fastest, on a device of so many multiprocessors.
grid_shape suited_grid(accumulator kind, dtype input, std::int64_t n, unsigned multiprocessors,
                       sum_lanes lanes = sum_lanes::usual);

/// Whether a window can have the answer of a request: the sum or mean of few floats, in their type.
bool suits_window(const whole_request& request);
/// The blocks of a cluster, at most, that can add floats up in a window on the current device: 1
/// where it has no clusters.
unsigned find_window_blocks();

/// The grid that answers a request fastest. window_blocks: those of the device.
grid_shape suited_grid(const whole_request& request, unsigned multiprocessors,
                       unsigned window_blocks);

/// Whether a launch needs a workspace, and memory for the state's words. Answers of one block do
/// not, but for those of exponentials, nor do those of a window.
bool needs_memory(const whole_request& request, grid_shape grid);

/// Enqueues one kernel that writes the answers that the request lists, or if it lists none the
/// words of the state to `words` (device or mapped host memory), which are scratch memory
/// otherwise. workspace, words: null unless needs_memory. Returns a cudaError_t as int; 0 is
/// success.
int launch_whole(const whole_request& request, grid_shape grid, void* workspace,
                 std::int64_t* words, void* stream);

}  // namespace onefold::cuda
