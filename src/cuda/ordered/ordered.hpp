// SPDX-License-Identifier: Apache-2.0
// Reductions whose parts have an order: a kernel leaves a few words for each chunk, and the host
// makes the tree above them.
#pragma once

#include "cuda/engine.hpp"
#include "cuda/full/full.hpp"
#include "cuda/ordered/log_sum_trees.hpp"

namespace onefold::cuda {

struct chunk_grid {
  unsigned blocks;
  unsigned blocks_each;  ///< that a multiprocessor works on at a time, at most
};

/// A row of the table of kernels of chunks.
struct ordered_entry {
  int words = 0;  ///< 64-bit ones a chunk; 0: there is no kernel
  /// Enqueues one kernel that writes all words of all chunks. Returns a cudaError_t as int.
  int (*launch)(const full_request& of, chunk_grid grid, std::int64_t* words,
                void* stream) = nullptr;
};

/// The kernels of files of their own.
ordered_entry product_entry(dtype input);  ///< of floats
ordered_entry log_sum_entry(dtype input);  ///< of floats
ordered_entry ordered_integer_entry(accumulator of, dtype input);

/// Words that the chunks of n elements need.
std::int64_t ordered_words(accumulator of, dtype input, std::int64_t n);

/// Precondition: n > 0. Returns a cudaError_t as int.
int launch_ordered(const full_request& of, unsigned multiprocessors, std::int64_t* words,
                   void* stream);

/// Whether the device merges complete subtrees of the next n elements of a tree: of logsumexp, of
/// which the host merges 4096 chunks in as much time as a GPU reads their elements. Windows of host
/// data are powers of two of chunks, so the result is the same before the windows that precede
/// these elements are appended and after it.
bool merges_on_device(const target& to, std::int64_t n);

/// Words of one chunk. Precondition: there is a kernel.
int ordered_chunk_words(accumulator of, dtype input);

/// Appends one chunk of n > 0 elements to a tree. Precondition: as chunk_tree::push.
void append_chunk(const target& to, dtype input, std::int64_t n, const std::int64_t* words);

/// Appends the chunks of n elements to a tree; the words are those of launch_log_sum_trees where
/// merges_on_device() is true. Precondition: as chunk_tree::push.
void append_chunks(const target& to, dtype input, std::int64_t n, const std::int64_t* words);

}  // namespace onefold::cuda
