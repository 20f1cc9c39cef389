// SPDX-License-Identifier: Apache-2.0
// The tree above the chunks of a fast sum: pairwise, shaped by the number of chunks alone.
//
// Chunk results arrive in order. Like a binary counter, two neighbours of equal weight are added
// as soon as both are there, so the tree depends neither on threads nor on the size of windows.
// Error: |r - sum x| <= (1024 + 6 + ceil(log2 chunks)) u sum|x| to first order, without overflow.
#pragma once

#include <cstdint>

namespace onefold {

/// Accumulator: float for f16, bf16, f32; double for f64; std::uint64_t, which wraps, for integers.
template <class Accumulator>
class fast_sum {
 public:
  void push(Accumulator chunk) noexcept;
  /// The sum so far; of nothing: +0 (the identity -0 stays inside).
  Accumulator value() const noexcept;

 private:
  // One pending subtree for each bit of the number of chunks; bits that are clear name no element.
  Accumulator pending_[64] = {};
  std::uint64_t chunks_ = 0;
};

extern template class fast_sum<float>;
extern template class fast_sum<double>;
extern template class fast_sum<std::uint64_t>;

}  // namespace onefold
