// SPDX-License-Identifier: Apache-2.0
// Products of whole arrays, whose parts have an order: a kernel leaves a few words for each chunk.
// The tree above the chunks is the host's.
#pragma once

#include "cuda/kernels/whole/whole.hpp"
#include "cuda/plan/states.hpp"

namespace onefold::cuda {

/// A row of the table of kernels of chunks.
struct ordered_entry {
  int words = 0;  ///< 64-bit ones a chunk; 0: there is no kernel
  /// Enqueues one kernel that writes all words of all chunks. Returns a cudaError_t as int.
  int (*launch)(const whole_request& request, unsigned blocks, std::int64_t* words,
                void* stream) = nullptr;
};

/// The rows of one file each.
ordered_entry ordered_float_entry(accumulator kind, dtype input);
ordered_entry ordered_integer_entry(accumulator kind, dtype input);

/// Words that the chunks of n elements need.
std::int64_t ordered_words(accumulator kind, dtype input, std::int64_t n);

/// Precondition: n > 0. Returns a cudaError_t as int.
int launch_ordered(const whole_request& request, unsigned multiprocessors, std::int64_t* words,
                   void* stream);

/// Words of one chunk. Precondition: there is a kernel.
int ordered_chunk_words(accumulator kind, dtype input);

/// Appends one chunk of n > 0 elements to a tree. Precondition: as chunk_tree::push.
void append_chunk(const target& to, dtype input, std::int64_t n, const std::int64_t* words);

/// Appends the chunks of n elements to a tree. Precondition: as chunk_tree::push.
void append_chunks(const target& to, dtype input, std::int64_t n, const std::int64_t* words);

}  // namespace onefold::cuda
