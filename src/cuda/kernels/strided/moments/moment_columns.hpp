// SPDX-License-Identifier: Apache-2.0
// Variances and deviations of columns: neighbours in memory belong to different answers.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cuda/kernels/strided/strided.hpp"
#include "cuda/loaders/column_parts.hpp"
#include "cuda/plan/request.hpp"
#include "onefold/detail/exact_moments.hpp"

namespace onefold::cuda {

struct answer_query;

/// The launches. Those from double_parts on are for long columns that the first two leave
/// ambiguous.
enum class column_step : unsigned char { parts, join, double_parts, double_join, exact };

/// Answers of a request of one or two reduced axes, of more elements than
/// request.finish.correction >= 0.
struct moment_columns {
  strided_request request;  ///< its pieces: those of exact sums
  column_parts lanes;
  std::int64_t* partials = nullptr;  ///< of several parts: doubles, [2][written][answers]
  /// Of several parts that share the fallback, whose partials are [6][parts][answers]: how many
  /// columns were ambiguous, a mark of each, and its exact sums, [answers][column_words]. Null: a
  /// warp takes an ambiguous column at once.
  std::int64_t* ambiguous = nullptr;
  column_step step = column_step::parts;
  bool shares = false;  ///< the fallback

  /// Whether a second launch joins parts and writes the answers.
  ONEFOLD_HOST_DEVICE bool joins() const { return shares || lanes.joins(); }
};

/// The state of a column's moments, and how many of its pieces there are in it.
inline constexpr std::int64_t column_words = detail::moments<float>::words + 1;

/// Words of partials, and of all of the workspace.
inline std::int64_t partial_words_of(const moment_columns& columns) {
  if (!columns.joins()) return 0;
  const std::int64_t words =
      columns.shares ? 6 * columns.lanes.count() : 2 * columns.lanes.written();
  return words * columns.request.outputs;
}
inline std::int64_t workspace_words_of(const moment_columns& columns) {
  return partial_words_of(columns) +
         (columns.shares ? 1 + columns.request.outputs * (1 + column_words) : 0);
}

/// Calls launch(of, lanes) for each step, with so many lanes that have something to do, until it
/// returns no 0.
template <class Launch>
int launch_steps_of(moment_columns columns, std::int64_t* workspace, const Launch& launch) {
  using enum column_step;
  columns.partials = workspace;
  if (columns.shares) columns.ambiguous = workspace + partial_words_of(columns);
  const std::int64_t outputs = columns.request.outputs;
  for (const column_step step : {parts, join, double_parts, double_join, exact}) {
    if ((step > parts && !columns.joins()) || (step > join && !columns.shares)) return 0;
    columns.step = step;
    const std::int64_t lanes = step == exact ? outputs * columns.request.pieces * 32
                               : step == parts || step == double_parts
                                   ? outputs * columns.lanes.count()
                                   : outputs * std::int64_t(strided_threads);
    if (const int code = launch(columns, lanes); code != 0) return code;
  }
  return 0;
}

/// Precondition: the request suits kernel_family::moment_columns.
moment_columns moment_columns_of(const answer_query& by, void* out);

/// Bytes of device memory that a launch needs besides its data; its contents do not matter.
std::size_t workspace_bytes_of(const moment_columns& columns);

/// Enqueues one, two or five launches of kernels that write the answers. Returns a cudaError_t as
/// int.
int launch_moment_columns(const moment_columns& columns, void* workspace, unsigned multiprocessors,
                          void* stream);

}  // namespace onefold::cuda
