// SPDX-License-Identifier: Apache-2.0
// logsumexp of columns (along an axis that is not contiguous) and of long rows: each answer is
// split into parts of many threads, which a second launch joins; two more launches sum ambiguous
// answers exactly, by many warps each.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cuda/kernels/strided/strided.hpp"
#include "cuda/loaders/column_parts.hpp"
#include "cuda/plan/request.hpp"
#include "onefold/detail/exponential_sum.hpp"

namespace onefold::cuda {

struct answer_query;

/// The launches. The last two are for answers that the first two leave ambiguous, of which many
/// warps have a piece each: for what their elements are, and for the sums.
enum class exponential_step : unsigned char { parts, join, survey, sums };

/// What the pieces of an answer add up to, in device memory.
struct exponential_record {
  unsigned long long open;     ///< whether the answer is ambiguous
  unsigned long long done;     ///< pieces whose sums have been added
  unsigned long long largest;  ///< the ordered key of the largest finite element; 0: there is none
  /// A state's words; that of the band is written last.
  unsigned long long words[detail::exponential_sum<double>::words];
};

/// Answers of a request of floats, of one or two reduced axes.
struct exponential_columns {
  strided_request request;  ///< its pieces: those of exact sums
  column_parts lanes;
  std::int64_t* partials = nullptr;  ///< of several parts: [words of a sum][parts][answers]
  /// Of answers of several parts that share the fallback; null: a warp takes an ambiguous one.
  exponential_record* records = nullptr;
  exponential_step step = exponential_step::parts;
  bool shares = false;  ///< the fallback

  /// Whether a second launch joins parts and writes the answers.
  ONEFOLD_HOST_DEVICE bool joins() const { return shares || lanes.joins(); }
};

/// Words of partials, and of all of the workspace.
inline std::int64_t partial_words_of(const exponential_columns& columns) {
  const std::int64_t words = columns.request.x_kind.type == dtype::f64 ? 4 : 1;
  const std::int64_t parts = columns.lanes.written();
  return !columns.joins() ? 0 : words * parts * columns.request.outputs;
}
inline std::int64_t workspace_words_of(const exponential_columns& columns) {
  constexpr std::int64_t words = sizeof(exponential_record) / sizeof(std::int64_t);
  return partial_words_of(columns) + (columns.shares ? columns.request.outputs * words : 0);
}

/// Calls launch(of, lanes) for each step, with so many lanes that have something to do, until it
/// returns no 0.
template <class Launch>
int launch_steps_of(exponential_columns columns, std::int64_t* workspace, const Launch& launch) {
  using enum exponential_step;
  columns.partials = workspace;
  if (columns.shares)
    columns.records = reinterpret_cast<exponential_record*>(workspace + partial_words_of(columns));
  const std::int64_t outputs = columns.request.outputs;
  for (const exponential_step step : {parts, join, survey, sums}) {
    if ((step > parts && !columns.joins()) || (step > join && !columns.shares)) return 0;
    columns.step = step;
    const std::int64_t lanes = step == parts  ? outputs * columns.lanes.count()
                               : step == join ? outputs * std::int64_t(strided_threads)
                                              : outputs * columns.request.pieces * 32;
    if (const int code = launch(columns, lanes); code != 0) return code;
  }
  return 0;
}

/// Precondition: the request suits kernel_family::exponential_columns.
exponential_columns exponential_columns_of(const answer_query& by, void* out);

/// Bytes of device memory that a launch needs besides its data; its contents do not matter.
std::size_t workspace_bytes_of(const exponential_columns& columns);

/// Enqueues one, two or four launches of kernels that write the answers. Returns a cudaError_t as
/// int.
int launch_exponential_columns(const exponential_columns& columns, void* workspace,
                               unsigned multiprocessors, void* stream);

}  // namespace onefold::cuda
