// SPDX-License-Identifier: Apache-2.0
#pragma once
// Folds of segments whose element type is known when they are compiled: exact sums.

#include "cuda/parts/answer_terms.cuh"
#include "cuda/parts/truths.cuh"
#include "cuda/segments/cut.cuh"

namespace onefold::cuda {

/// Whether a sum of integers is more than a 64-bit output holds.
template <int Counters>
ONEFOLD_DEVICE bool exceeds(const counter_sum<Counters>& sum, dtype output) {
  std::int64_t high = sum.counts[0] >> 63;
  auto low = std::uint64_t(sum.counts[0]);
  if constexpr (Counters == 2) {
    const std::uint64_t upper = std::uint64_t(sum.counts[1]) << 32;
    low += upper;
    high += (sum.counts[1] >> 32) + (low < upper);
  }
  return output == dtype::i64 ? high != std::int64_t(low) >> 63 : output == dtype::u64 && high != 0;
}

/// Terms: many_terms, many_integers.
template <class Terms>
class segment_sums {
 public:
  using T = typename Terms::element;
  using sum = typename Terms::sum;
  static constexpr bool is_typed = true;
  static constexpr int digits = Terms::digits;
  static constexpr int most_ends = sum::parts > 2 ? 128 : 256;  ///< segments that end in a tile

  ONEFOLD_DEVICE explicit segment_sums(const segment_arguments& a) : a_(a) {}

  ONEFOLD_DEVICE static constexpr unsigned bytes() { return sizeof(T); }
  ONEFOLD_DEVICE static sum nothing() { return {}; }
  ONEFOLD_DEVICE static void add(sum& to, std::uint64_t raw, std::int64_t) {
    if constexpr (std::is_same_v<T, truth>) raw = raw != 0;
    Terms::add(to, typename Terms::bits(raw));
  }
  template <class Vector>
  ONEFOLD_DEVICE static void add_vector(sum& to, const Vector& v, std::int64_t) {
    if constexpr (sizeof(T) == 8) {
      Terms::add(to, bits_in<T, 0>(v));
      Terms::add(to, bits_in<T, 1>(v));
    } else {
      Terms::add_vector(to, v);
    }
  }
  /// Room for more: counters of 2^31 blocks have it.
  ONEFOLD_DEVICE static void settle(sum& of) {
    if constexpr (std::is_same_v<sum, counter_sum<2>>) {
      of.counts[1] += of.counts[0] >> 32;
      of.counts[0] &= 0xFFFFFFFF;
    }
  }

  /// Writes answer k of n elements.
  ONEFOLD_DEVICE unsigned write(const sum& of, std::int64_t n, std::int64_t k) const {
    answer_form form = a_.form;
    form.n = n;
    if constexpr (digits == 0) {
      write_answer(of, form, a_.of.out, k);
      const bool wraps = a_.request.how == accuracy::fast;
      if (n > std::int64_t(1) << 31) return segment_is_too_long;
      return !wraps && exceeds(of, form.output) ? unsigned(sum_does_not_fit) : 0u;
    } else {
      // Pairs have no root, and hold what theorem 2 says of fewer than 2^33 terms.
      const bool is_root = form.what == answer_form::kind::root && n > 0;
      const bool no_pair = sizeof(T) == 8 && (is_root || n >= std::int64_t(1) << 32);
      return !no_pair && write_answer(of, form, a_.of.out, k) ? 0u : undecided;
    }
  }
  /// The same by the whole warp, from the elements.
  ONEFOLD_DEVICE void redo(std::int64_t begin, std::int64_t n, std::int64_t k,
                           std::int64_t* words) const {
    answer_form form = a_.form;
    form.n = n;
    Terms::redo(static_cast<const T*>(a_.of.x) + begin, 1, form, words, a_.of.out, k);
  }

 private:
  const segment_arguments& a_;
};

}  // namespace onefold::cuda
