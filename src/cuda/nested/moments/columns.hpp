// SPDX-License-Identifier: Apache-2.0
// Variances and deviations of columns: neighbours in memory belong to different answers.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cuda/engine.hpp"
#include "cuda/nested/nested.hpp"

namespace onefold::cuda {

struct answer_query;

/// Answers of a request of one piece each, of more elements than of.finish.correction >= 0; the
/// last kept axis has neighbouring elements.
struct moment_columns {
  nested_request of;
  std::int64_t parts = 1;            ///< of a column: every parts-th element
  std::int64_t* partials = nullptr;  ///< of several parts: [2][parts][answers], doubles
  bool joins = false;                ///< the second launch
};

/// Precondition: the request suits kernel_family::moment_columns.
moment_columns moment_columns_of(const answer_query& by, void* out);

/// Bytes of device memory that a launch needs besides its data; its contents do not matter.
std::size_t workspace_bytes_of(const moment_columns& of);

/// Enqueues one or two launches of a kernel that writes the answers. Returns a cudaError_t as int.
int launch_moment_columns(moment_columns of, void* workspace, unsigned multiprocessors,
                          void* stream);

}  // namespace onefold::cuda
