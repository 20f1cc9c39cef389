// SPDX-License-Identifier: Apache-2.0
// Logarithms of sums of exponentials of columns: neighbours in memory belong to different answers.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cuda/nested/nested.hpp"

namespace onefold::cuda {

struct answer_query;

/// The launches: the largest element of each chunk, the sum of its terms, the answers.
enum class log_step : unsigned char { largest, terms, answers };

/// Answers of a request, whose pieces are chunks; the last kept axis has neighbouring elements.
struct log_columns {
  nested_request of;
  std::int64_t parts = 1;  ///< of a chunk: every parts-th element
  /// [pieces][answers], 0 before the first launch: the sums of the terms, and the places of the
  /// largest elements (place_of_top).
  unsigned long long* sums = nullptr;
  unsigned* tops = nullptr;
  log_step step = log_step::largest;
};

/// Precondition: the request suits kernel_family::log_columns.
log_columns log_columns_of(const answer_query& by, void* out);

/// Bytes of device memory that a launch needs besides its data; its contents do not matter.
std::size_t workspace_bytes_of(const log_columns& of);

/// Enqueues three launches of a kernel that writes the answers. Returns a cudaError_t as int.
int launch_log_columns(log_columns of, void* workspace, unsigned multiprocessors, void* stream);

/// One of them, after the workspace is cleared.
int launch_log_columns_step(const log_columns& of, unsigned blocks, void* stream);

}  // namespace onefold::cuda
