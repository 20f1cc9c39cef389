// SPDX-License-Identifier: Apache-2.0
// Fast sums of several answers of strided data that stay on the device: the strided kernels make
// their chunks or bands, those of many answers merge them.
#pragma once

#include <cstddef>

#include "cuda/engine.hpp"
#include "cuda/many/many.hpp"
#include "cuda/nested/nested.hpp"

namespace onefold::cuda {

struct answer_query;

struct fast_answers {
  nested_request parts;
  many_request request;
  many_block answers;  ///< as rows, but for their elements
};

/// Precondition: the request suits kernel_family::strided_sums.
fast_answers fast_answers_of(const answer_query& by, void* out);

/// Bytes of device memory that a launch needs besides its data; its contents do not matter.
std::size_t workspace_bytes_of(const fast_answers& of);

/// Enqueues two or three kernels that write the answers. Returns a cudaError_t as int.
int launch_fast_answers(const fast_answers& of, void* workspace, void* stream);

}  // namespace onefold::cuda
