// SPDX-License-Identifier: Apache-2.0
// Entry points of the kernels that exchange states: from the words of states to groups that add
// (docs/numerics/additive.md), and from sums of groups to rounded answers.
#pragma once

#include <cstdint>

#include "cuda/rounding/epilogue_outputs.hpp"
#include "onefold/dtype.hpp"
#include "state/accumulator.hpp"

namespace onefold::cuda {

/// The states of many answers, of one accumulator.
struct group_request {
  onefold::accumulator accumulator = onefold::accumulator::total;
  dtype input = dtype::f64;
  std::int64_t signature = 0;  ///< of a group's header
  std::int64_t answers = 1;
  finish_list finish;  ///< places of answer 0, and those of answer k after them
};

/// The words of a group, with its header; 0 where the states of the accumulator do not add.
int group_words(accumulator kind, dtype input);

/// Whether groups add in one band alone, the highest of all ranks.
constexpr bool has_bands(accumulator kind) {
  return kind == accumulator::exponentials;
}

/// Enqueues a kernel that writes bands[answers], of an accumulator that has_bands: the highest of
/// words[answers][pieces][state words], to be combined by the maximum. Null words: of states
/// without elements. Returns a cudaError_t as int; 0 is success.
int launch_write_group_bands(const group_request& request, const std::int64_t* words,
                             std::int64_t pieces, std::int64_t* bands, void* stream);

/// Enqueues a kernel that writes groups[answers][group_words] from the same words: the sum of the
/// pieces' groups, in the bands of the answers, which are null where the accumulator has none.
/// Returns as above.
int launch_write_groups(const group_request& request, const std::int64_t* words,
                        std::int64_t pieces, const std::int64_t* bands, std::int64_t* groups,
                        void* stream);

/// Enqueues a kernel that rounds sums of groups to the answers that the request lists.
/// finish.status, which holds 0, gets the code of an answer that is not written; mismatch where
/// groups of several signatures or bands were added, or 2^31 of them. Floats are NaN then.
/// Returns a cudaError_t as int; 0 is success.
int launch_round_groups(const group_request& request, const std::int64_t* groups, void* stream);

}  // namespace onefold::cuda
