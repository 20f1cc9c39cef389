// SPDX-License-Identifier: Apache-2.0
#pragma once
// The tree of chunks (state/chunk_tree.hpp) for one lane, with the CPU's bits: answers of several
// chunks whose interval is ambiguous.

#include "cuda/parts/exponential.cuh"
#include "state/exponential_terms.hpp"
#include "state/shifted_sum.hpp"

namespace onefold::cuda {

/// Fewer than 2^levels chunks, in their order: two neighbours of equal weight are appended at once.
class log_tree {
 public:
  static constexpr int levels = 15;

  ONEFOLD_DEVICE void push(const exponential::scaled_sum& chunk) {
    exponential::shifted_sum next = {chunk.shift, {chunk.sum, 0}};
    int level = 0;
    ONEFOLD_ROLLED
    for (; (chunks_ >> level & 1) != 0; ++level) next = appended(pending_[level], next);
    pending_[level] = next;
    ++chunks_;
  }
  ONEFOLD_DEVICE exponential::shifted_sum value() const {
    exponential::shifted_sum all;
    bool any = false;
    ONEFOLD_ROLLED
    for (int level = 0; level < levels; ++level) {
      if ((chunks_ >> level & 1) == 0) continue;
      all = any ? appended(pending_[level], all) : pending_[level];
      any = true;
    }
    return all;
  }

 private:
  ONEFOLD_DEVICE static exponential::shifted_sum appended(const exponential::shifted_sum& front,
                                                          const exponential::shifted_sum& next) {
    return exponential::appended(front, next, [](double d) { return exponential_of(d); });
  }

  exponential::shifted_sum pending_[levels];
  unsigned chunks_ = 0;
};

}  // namespace onefold::cuda
