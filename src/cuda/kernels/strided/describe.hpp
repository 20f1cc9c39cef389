// SPDX-License-Identifier: Apache-2.0
// From a plan to the requests of the strided kernels.
#pragma once

#include "cuda/kernels/strided/strided.hpp"
#include "cuda/loaders/column_parts.hpp"
#include "cuda/plan/request.hpp"

namespace onefold::cuda {

/// All but the accumulator, the pieces and the answers, of operands in device memory.
strided_request described(const request& request, const std::byte* x, const std::byte* y,
                          const std::byte* mask);

/// The same of one view, and of all answers.
strided_request nest_of(const request& request);

/// Whether neighbouring answers are nearer in memory than neighbouring elements of an answer.
bool are_columns(const plan& plan);

/// The launch that writes answers of an accumulator, each of one piece, without their places.
/// Precondition: the request suits kernel_family::strided_answers.
strided_request finished_nest(const request& request, accumulator each);

/// How lanes share the elements of a request of one or two reduced axes.
column_parts lanes_of(const request& request, unsigned multiprocessors);

/// How the published order cuts an answer: docs/specification.md, section 3.
struct ordered_cut {
  order shape;
  std::int64_t pieces, piece_items;
};

/// Precondition: elements.
ordered_cut ordered_cut_of(const request& request);

/// The blocks of its launch.
unsigned blocks_of(const strided_request& request, unsigned multiprocessors);

}  // namespace onefold::cuda
