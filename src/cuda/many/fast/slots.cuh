// SPDX-License-Identifier: Apache-2.0
#pragma once
// Fast sums of rows, in the order of docs/numerics/fast.md: within a chunk of 65536 elements, 64
// virtual lanes that fold by halves; above, the tree of the chunks.
//
// Vectors are counted from the multiple of 16 bytes at or before a chunk's first element. Slot s of
// 64 is element s % 64 of them; it has the elements of one virtual lane, in their order, as a row
// of 64 slots is a whole number of vectors. Where a chunk begins amid a vector, slots are virtual
// lanes turned round by so many places. The fold does not see that: a level adds what lies h apart
// modulo 2 h, and a + b is b + a. So every load is of 16 aligned bytes. What a vector has of others
// is -0, and so are the slots of a lane that has no vector; levels that would add nothing else are
// left out.

#include "cuda/exact/answer_terms.cuh"
#include "cuda/parts/lanes.cuh"

namespace onefold::cuda {

/// The slots of one lane. Terms: |x| by a mask; x, or x * x.
template <class T, bool Squared>
class fast_slots {
 public:
  using bits = typename detail::float_format<T>::bits;
  static constexpr int items = vector_items<T>;

  ONEFOLD_DEVICE fast_slots() {
    ONEFOLD_UNROLL
    for (T& sum : sums_) sum = T(-0.0);
  }

  template <class Vector>
  ONEFOLD_DEVICE void add(const Vector& v, bits mask) {
    add(v, mask, std::make_integer_sequence<int, items>());
  }

  /// The sum of the slots of a group, in each of its lanes. Every lane of the warp calls it. Each
  /// lane of a pair keeps one half of the slots while it has more than one.
  ONEFOLD_DEVICE T fold(unsigned group) const {
    if (group < unsigned(items)) return fold_few(group);
    unsigned mask = group / 2;
    T sum;
    if constexpr (items == 4) {
      const bool upper = (lane_index() & mask) != 0;
      const T low = kept(sums_[0], sums_[2], upper, mask),
              high = kept(sums_[1], sums_[3], upper, mask);
      mask /= 2;
      sum = kept(low, high, (lane_index() & mask) != 0, mask);
    } else {
      sum = kept(sums_[0], sums_[1], (lane_index() & mask) != 0, mask);
    }
    ONEFOLD_ROLLED
    for (mask /= 2; mask > 0; mask /= 2) sum += __shfl_xor_sync(whole_warp, sum, mask);
    sum += __shfl_xor_sync(whole_warp, sum, group / 2);
    if constexpr (items == 4) sum += __shfl_xor_sync(whole_warp, sum, group / 4);
    return sum;
  }

 private:
  template <class Vector, int... I>
  ONEFOLD_DEVICE void add(const Vector& v, bits mask, std::integer_sequence<int, I...>) {
    ((sums_[I] += term(detail::from_bits<T>(bits_in<T, I>(v) & mask))), ...);
  }
  ONEFOLD_DEVICE static T term(T x) { return Squared ? x * x : x; }

  ONEFOLD_DEVICE static T kept(T a, T b, bool upper, unsigned mask) {
    return (upper ? b : a) + __shfl_xor_sync(whole_warp, upper ? a : b, mask);
  }
  ONEFOLD_DEVICE T fold_few(unsigned group) const {
    T sums[items];
    ONEFOLD_UNROLL
    for (int i = 0; i < items; ++i) {
      sums[i] = sums_[i];
      if (group == 2) sums[i] += __shfl_xor_sync(whole_warp, sums[i], 1);
    }
    ONEFOLD_UNROLL
    for (int half = items / 2; half > 0; half /= 2)
      for (int i = 0; i < half; ++i) sums[i] += sums[i + half];
    return sums[0];
  }

  T sums_[items];
};

}  // namespace onefold::cuda
