// SPDX-License-Identifier: Apache-2.0
// The summation tree above the chunks of an ordered reduction: pairwise, with a shape that depends
// on the number of chunks alone.
//
// Chunk states arrive in order. As in a binary counter, two neighbours of equal weight are merged
// as soon as both have arrived, so the tree depends neither on threads nor on the size of windows.
// The left subtree has the largest power of two of chunks that is less than their number; the right
// subtree has the rest.
#pragma once

#include <cstdint>
#include <vector>

#include "state/ordered_state.hpp"

namespace onefold {

/// Turns `left` into the state of left's elements followed by right's. Precondition: both hold the
/// same alternative.
void append(ordered_state& left, const ordered_state& right);

class chunk_tree {
 public:
  /// nothing: the state of no elements, of the same alternative as all other states.
  explicit chunk_tree(const ordered_state& nothing) : nothing_(nothing) {}

  /// Precondition: as append(); the thread is inside a float_environment. Throws std::bad_alloc.
  void push(const ordered_state& chunk) { push(chunk, 1); }

  /// Pushes the root of a complete subtree of that many chunks. Precondition: a power of two, and
  /// chunks() is a multiple of it.
  void push(const ordered_state& complete, std::uint64_t weight);

  /// The state of all chunks so far. Precondition: the thread is inside a float_environment.
  ordered_state value() const;

  const ordered_state& nothing() const noexcept { return nothing_; }
  std::uint64_t chunks() const noexcept { return chunks_; }

 private:
  ordered_state nothing_;
  std::vector<ordered_state> pending_;  // one for each set bit of chunks_, largest subtree first
  std::uint64_t chunks_ = 0;
};

}  // namespace onefold
