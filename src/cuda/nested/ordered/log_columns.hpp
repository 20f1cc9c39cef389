// SPDX-License-Identifier: Apache-2.0
// Logarithms of sums of exponentials of columns, whose neighbours in memory belong to different
// answers, and of rows of several chunks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "cuda/nested/nested.hpp"
#include "cuda/ordered/ordered.hpp"

namespace onefold::cuda {

struct answer_query;

/// The launches. Of short chunks: their largest elements, the sums of their terms, the answers. Of
/// long ones: guesses of their largest elements, by a sample; those and, in a window above the
/// guess, the sums; the sums of chunks that the window did not cover; the answers.
enum class log_step : unsigned char { sample, largest, window, terms, answers };

/// Answers of a request, whose pieces are chunks; the last kept axis or the reduced one has
/// neighbouring elements.
struct log_columns {
  nested_request of;
  std::int64_t inner = 1;  ///< answers whose elements are neighbours
  std::int64_t parts = 1;  ///< of a chunk: every parts-th element
  bool in_windows = false;
  /// 0 before the first launch: [pieces][answers] of sums of terms, the same for each binade of a
  /// window, and for those beyond it; [pieces][answers] of places of the largest elements
  /// (place_of_top), and of guesses: a sample's largest one, and the complement of the least of
  /// its parts' largest ones.
  unsigned long long* sums = nullptr;
  unsigned *tops = nullptr, *guesses = nullptr, *floors = nullptr;
  log_step step = log_step::largest;
};

/// Precondition: the request suits kernel_family::log_columns.
log_columns log_columns_of(const answer_query& by, void* out);

/// Of all answers.
inline std::int64_t chunks_of(const log_columns& of) {
  return of.of.outputs * of.of.pieces;
}
/// A chunk's sums: in a window one for each binade, and one for what none covers.
inline std::int64_t sums_of_a_chunk(const log_columns& of) {
  return of.in_windows ? window_reach + 2 : 1;
}

/// Bytes of device memory that a launch needs besides its data; its contents do not matter.
inline std::size_t workspace_bytes_of(const log_columns& of) {
  const std::size_t places = of.in_windows ? 3 : 1;
  return std::size_t(chunks_of(of)) *
         (std::size_t(sums_of_a_chunk(of)) * sizeof *of.sums + places * sizeof *of.tops);
}

/// Places its arrays in the workspace.
inline void use_workspace(log_columns& of, void* workspace) {
  const std::int64_t chunks = chunks_of(of);
  of.sums = static_cast<unsigned long long*>(workspace);
  of.tops = reinterpret_cast<unsigned*>(of.sums + chunks * sums_of_a_chunk(of));
  of.guesses = of.tops + chunks, of.floors = of.guesses + chunks;
}

/// The launches of a request, in order.
inline std::span<const log_step> steps_of(const log_columns& of) {
  static constexpr log_step by_two_readings[] = {log_step::largest, log_step::terms,
                                                 log_step::answers};
  static constexpr log_step by_windows[] = {log_step::sample, log_step::window, log_step::terms,
                                            log_step::answers};
  if (of.in_windows) return by_windows;
  return by_two_readings;
}

/// Enqueues the launches of a kernel that writes the answers. Returns a cudaError_t as int.
int launch_log_columns(log_columns of, void* workspace, unsigned multiprocessors, void* stream);

/// One of them, after the workspace is cleared.
int launch_log_columns_step(const log_columns& of, unsigned blocks, void* stream);

}  // namespace onefold::cuda
