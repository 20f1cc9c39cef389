// SPDX-License-Identifier: Apache-2.0
// The tree above the chunks of an ordered reduction: pairwise, shaped by their number alone.
//
// Chunk states arrive in order. Like a binary counter, two neighbours of equal weight are joined
// as soon as both are there, so the tree depends neither on threads nor on the size of windows:
// the largest power of two of chunks that leaves something, plus the rest.
#pragma once

#include <cstdint>
#include <vector>

#include "state/ordered_state.hpp"

namespace onefold {

/// Makes `left` the state of left's elements followed by right's. Precondition: one alternative.
void append(ordered_state& left, const ordered_state& right);

class chunk_tree {
 public:
  /// nothing: the state of no elements, which names the alternative of all others.
  explicit chunk_tree(const ordered_state& nothing) : nothing_(nothing) {}

  /// Precondition: as append(); the thread is inside a float_environment. Throws std::bad_alloc.
  void push(const ordered_state& chunk) { push(chunk, 1); }

  /// The same of a complete tree of that many chunks. Precondition: a power of two, and chunks() is
  /// a multiple of it.
  void push(const ordered_state& complete, std::uint64_t weight);

  /// The state of all chunks so far. Precondition: the thread is inside a float_environment.
  ordered_state value() const;

  const ordered_state& nothing() const noexcept { return nothing_; }
  std::uint64_t chunks() const noexcept { return chunks_; }

 private:
  ordered_state nothing_;
  std::vector<ordered_state> pending_;  // one for each set bit of chunks_, the heaviest first
  std::uint64_t chunks_ = 0;
};

}  // namespace onefold
