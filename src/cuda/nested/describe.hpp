// SPDX-License-Identifier: Apache-2.0
// From a plan to the requests of the strided kernels.
#pragma once

#include <optional>

#include "cuda/engine.hpp"
#include "cuda/nested/nested.hpp"

namespace onefold::cuda {

/// All but the accumulator, the pieces and the answers, of operands in device memory.
nested_request described(const request& of, const std::byte* x, const std::byte* y,
                         const std::byte* mask);

/// The launch whose answers of a accumulator lie in the order of their indices, each of one piece,
/// and without their places. Nothing where no kernel writes them, where the order of the answers is
/// another, or where an answer is so long that one warp would keep the device waiting.
/// Precondition: no mask, and elements.
std::optional<nested_request> finished_nest(const request& of, accumulator each);

/// How the published order cuts an answer: docs/specification.md, section 3.
struct ordered_cut {
  order shape;
  std::int64_t pieces, piece_items;
};

/// Precondition: elements.
ordered_cut ordered_cut_of(const request& of);

/// Whether the answers lie in the order of their indices.
bool has_answers_in_order(const plan& plan);

/// The blocks of its launch.
unsigned blocks_of(const nested_request& of, unsigned multiprocessors);

}  // namespace onefold::cuda
