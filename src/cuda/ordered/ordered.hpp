// SPDX-License-Identifier: Apache-2.0
// Reductions whose parts have an order: a kernel leaves a few words for each chunk. The tree above
// the chunks is the host's; of logsumexp it is the device's where the answer stays there, and for
// complete subtrees.
#pragma once

#include "cuda/engine.hpp"
#include "cuda/full/full.hpp"

namespace onefold::cuda {

/// Chunks of a complete subtree that the device merges.
inline constexpr std::int64_t device_tree_chunks = 64;

/// Of sums of exponentials: words of a chunk, and of a state.
inline constexpr int log_sum_chunk_words = 4, log_sum_words = detail::log_sum::words;

/// The binades above a guess of a chunk's largest term that a window covers (term_window.cuh).
inline constexpr int window_reach = 8;

/// A row of the table of kernels of chunks.
struct ordered_entry {
  int words = 0;  ///< 64-bit ones a chunk; 0: there is no kernel
  /// Enqueues one kernel that writes all words of all chunks. Returns a cudaError_t as int.
  int (*launch)(const full_request& of, unsigned blocks, std::int64_t* words,
                void* stream) = nullptr;
  int state_words = 0;  ///< of a complete subtree that the device merges; 0: the host merges all
};

/// The rows of one file each.
ordered_entry ordered_float_entry(accumulator of, dtype input);
ordered_entry ordered_integer_entry(accumulator of, dtype input);

/// Enqueues the kernel log_sum_trees. Returns a cudaError_t as int.
int launch_log_sum_trees(const std::int64_t* words, std::int64_t n, std::int64_t* to,
                         unsigned* ticket, const finish_list& list, void* stream);

/// Words that the chunks of n elements need.
std::int64_t ordered_words(accumulator of, dtype input, std::int64_t n);

/// Precondition: n > 0. Returns a cudaError_t as int.
int launch_ordered(const full_request& of, unsigned multiprocessors, std::int64_t* words,
                   void* stream);

/// As launch_ordered, with the words in `scratch`, and then a kernel that merges them: `to` gets
/// the serialized states of complete subtrees, and after them the words of the other chunks. If the
/// request lists answers, all are merged, and the answers rounded; `ticket` is zero before and
/// after. Precondition: the device merges; n > 0, or answers.
int launch_merged(const full_request& of, unsigned multiprocessors, std::int64_t* scratch,
                  std::int64_t* to, unsigned* ticket, void* stream);

/// Words that the last launch needs for n elements: those of the chunks, and from `to` on. None
/// where the host merges all chunks.
struct merged_words {
  std::int64_t scratch = 0, to = 0;

  std::int64_t all() const { return scratch + to; }
};
merged_words merged_words_of(accumulator of, dtype input, std::int64_t n);

/// Whether the device merges complete subtrees of the next n elements of a tree: of logsumexp, of
/// which the host merges 4096 chunks in as much time as a GPU reads their elements. Windows of host
/// data are powers of two of chunks, so the result is the same before the windows that precede
/// these elements are appended and after it.
bool merges_on_device(const target& to, dtype input, std::int64_t n);

/// Words of one chunk. Precondition: there is a kernel.
int ordered_chunk_words(accumulator of, dtype input);

/// Appends one chunk of n > 0 elements to a tree. Precondition: as chunk_tree::push.
void append_chunk(const target& to, dtype input, std::int64_t n, const std::int64_t* words);

/// Appends the chunks of n elements to a tree; the words are those of launch_merged where
/// merges_on_device() is true. Precondition: as chunk_tree::push.
void append_chunks(const target& to, dtype input, std::int64_t n, const std::int64_t* words);

}  // namespace onefold::cuda
