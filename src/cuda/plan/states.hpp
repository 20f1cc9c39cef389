// SPDX-License-Identifier: Apache-2.0
// States that kernels serialize, and the host's states that they are merged into.
#pragma once

#include <cstdint>
#include <span>

#include "onefold/accuracy.hpp"
#include "onefold/dtype.hpp"
#include "onefold/state.hpp"
#include "state/accumulator.hpp"
#include "state/chunk_tree.hpp"

namespace onefold::cuda {

/// Where elements accumulate, one target for each accumulator that the plan's operators need: a
/// state, or for ordered parts a tree.
struct target {
  onefold::accumulator accumulator;
  any_state* into;
  chunk_tree* tree = nullptr;
  onefold::accuracy accuracy = onefold::accuracy::exact;  ///< for a tree
  std::int64_t* count = nullptr;  ///< for a tree: its elements are added here; null: not needed
};

/// Serialized states of one accumulator: [answers][pieces][words].
struct accumulator_words {
  const std::int64_t* begin;
  std::int64_t pieces;  ///< of an answer
  std::int64_t words;   ///< of a piece
  bool chunks;          ///< pieces are chunks, whose states are appended in order
};

/// The serialized states of a range of answers, in the order of origin_of.
class answer_words {
 public:
  std::int64_t first = 0, last = 0;  ///< answers first … last - 1
  std::int64_t first_index = 0;
  dtype input = dtype::f64;
  std::span<const accumulator_words> accumulators;  ///< empty where answers have no elements

  /// Merges the states of answer k into `into`, which has the accumulators of the request in its
  /// order. Precondition: as accumulate.
  void add_to(std::int64_t k, std::span<const target> into) const;
};

}  // namespace onefold::cuda
