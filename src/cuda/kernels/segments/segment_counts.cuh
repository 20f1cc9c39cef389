// SPDX-License-Identifier: Apache-2.0
#pragma once
// Counts and bits of segments.

#include "cuda/kernels/segments/selection_fold.cuh"
#include "rounding/answer.hpp"

namespace onefold::cuda {

struct counts_sum {
  static constexpr int parts = 2;
  std::int64_t nonzeros = 0, nans = 0;

  ONEFOLD_DEVICE void join(const counts_sum& other) {
    nonzeros += other.nonzeros, nans += other.nans;
  }
  template <class F>
  ONEFOLD_DEVICE void for_each_part(F&& f) {
    f(nonzeros), f(nans);
  }
};

class segment_counts : public selection_fold<segment_counts, counts_sum> {
 public:
  using selection_fold::selection_fold;

  struct part {
    int nonzeros = 0, nans = 0;

    ONEFOLD_DEVICE void join(const part& other) { nonzeros += other.nonzeros, nans += other.nans; }
    template <class F>
    ONEFOLD_DEVICE void for_each_part(F&& f) {
      f(nonzeros), f(nans);
    }
  };

  template <class Raw, class Each>
  ONEFOLD_DEVICE void take_each(part& to, const Each& each) const {
    const Raw kept = kind_.floating ? Raw(~Raw(0)) >> 1 : Raw(~Raw(0));
    const Raw largest = kind_.floating ? Raw(kind_.infinity) : kept;
    each([&](Raw raw, int) {
      const Raw magnitude = raw & kept;
      to.nonzeros += magnitude != 0, to.nans += magnitude > largest;
    });
  }
  ONEFOLD_DEVICE static counts_sum sum_of(const part& part, std::int64_t) {
    return {part.nonzeros, part.nans};
  }
  ONEFOLD_DEVICE unsigned write_rest(const counts_sum& sum, std::int64_t n, std::int64_t k) const {
    if (refuses(sum.nans > 0)) return met_nan;
    put(k, answer(sum, n), operation() == op::any || operation() == op::all ? 1 : 8);
    return 0;
  }
  /// Of a segment of n elements.
  ONEFOLD_DEVICE std::uint64_t answer(const counts_sum& sum, std::int64_t n) const {
    detail::nonzero_counts counts;
    counts.note(n, sum.nonzeros, sum.nans);
    return std::uint64_t(count_of(operation(), counts, omits()));
  }
};

struct bits_sum {
  static constexpr int parts = 3;
  std::int64_t all = -1, any = 0, odd = 0;

  ONEFOLD_DEVICE void join(const bits_sum& other) {
    all &= other.all, any |= other.any, odd ^= other.odd;
  }
  template <class F>
  ONEFOLD_DEVICE void for_each_part(F&& f) {
    f(all), f(any), f(odd);
  }
};

class segment_bits : public selection_fold<segment_bits, bits_sum> {
 public:
  using selection_fold::selection_fold;

  using part = bits_sum;

  template <class Raw, class Each>
  ONEFOLD_DEVICE void take_each(part& to, const Each& each) const {
    const bool bool_bytes = kind_.type == dtype::boolean;
    each([&](Raw raw, int) {
      const auto bits = std::int64_t(bool_bytes ? raw != 0 : raw);
      to.all &= bits, to.any |= bits, to.odd ^= bits;
    });
  }
  ONEFOLD_DEVICE static bits_sum sum_of(const part& part, std::int64_t) { return part; }
  ONEFOLD_DEVICE unsigned write_rest(const bits_sum& sum, std::int64_t, std::int64_t k) const {
    put(k, answer(sum), kind_.bytes);
    return 0;
  }
  ONEFOLD_DEVICE std::uint64_t answer(const bits_sum& sum) const {
    const auto bits = std::uint64_t(operation() == op::bit_and  ? sum.all
                                    : operation() == op::bit_or ? sum.any
                                                                : sum.odd);
    return kind_.type == dtype::boolean ? bits & 1 : bits;
  }
};

}  // namespace onefold::cuda
