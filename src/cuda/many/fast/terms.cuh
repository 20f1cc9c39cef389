// SPDX-License-Identifier: Apache-2.0
#pragma once
// Fast sums of rows of which a stage in shared memory has room for one or more, in the order of
// docs/numerics/fast.md.

#include "cuda/many/fast/answer.cuh"
#include "cuda/many/fast/shape.hpp"
#include "cuda/many/rows/held.cuh"
#include "cuda/many/rows/staged.cuh"
#include "cuda/parts/lanes.cuh"

namespace onefold::cuda {

/// Lanes whose vectors are 64 slots.
template <class T>
inline constexpr unsigned slot_lanes = virtual_lanes / vector_items<T>;

inline constexpr int fast_loads = 8;  // of a lane on their way, and as many again

/// What a reader of rows puts in place of neighbours.
template <class T>
struct fast_padding {
  using element = T;
  static constexpr auto pad = detail::float_format<T>::sign_bit;
};

/// Columns of the elements of a row: vectors on top of each other.
template <class T>
struct fast_sum {
  static constexpr int parts = 1;
  T slots[vector_items<T>];

  ONEFOLD_DEVICE void join(const fast_sum& other) {
    ONEFOLD_UNROLL
    for (int i = 0; i < vector_items<T>; ++i) slots[i] += other.slots[i];
  }
  template <class F>
  ONEFOLD_DEVICE void for_each_part(F&& f) {
    ONEFOLD_UNROLL
    for (int i = 0; i < vector_items<T>; ++i) f(slots[i]);
  }

  ONEFOLD_DEVICE T value() const {
    if constexpr (vector_items<T> == 4)
      return (slots[0] + slots[2]) + (slots[1] + slots[3]);
    else
      return slots[0] + slots[1];
  }
};
template <class T>
ONEFOLD_DEVICE bool write_answer(const fast_sum<T>& sum, const answer_form& form, void* out,
                                 std::int64_t k) {
  write_fast(sum.value(), form, out, k);
  return true;
}
template <class T>
ONEFOLD_DEVICE bool write_plain(const fast_sum<T>& sum, const answer_form&, void* out,
                                std::int64_t k) {
  using format = detail::float_format<T>;
  const T x = sum.value();
  write_bits<T>(out, k, x == x ? detail::to_bits(x) : format::quiet_nan);
  return true;
}

/// The first of its slots; the others add nothing.
template <class T>
ONEFOLD_DEVICE fast_sum<T> only_slot(T x) {
  fast_sum<T> made;
  ONEFOLD_UNROLL
  for (T& slot : made.slots) slot = T(-0.0);
  made.slots[0] = x;
  return made;
}

/// Rows of which a stage has room for one or more. Of those that are not whole vectors a sum has
/// one slot, the first.
template <accumulator Accumulator, class T>
struct staged_fast_terms {
  using element = T;
  using sum = fast_sum<T>;
  using short_sum = sum;
  static constexpr int digits = 0, items = vector_items<T>;
  static constexpr bool often_plain = Accumulator == accumulator::total, counts_integers = false;
  static constexpr auto pad = fast_padding<T>::pad;

  template <class Vector>
  ONEFOLD_DEVICE static void begin_vector(sum& to, const Vector& v) {
    to = terms_of(v, std::make_integer_sequence<int, items>());
  }
  template <class Vector>
  ONEFOLD_DEVICE static void add_vector(sum& to, const Vector& v) {
    add(to, terms_of(v, std::make_integer_sequence<int, items>()));
  }
  /// Up to 16 elements by one lane.
  ONEFOLD_DEVICE static sum sum_of_row(const T* row, int n) {
    if (n <= 2) return only_slot(tree<2>(row, n));
    if (n <= 4) return only_slot(tree<4>(row, n));
    if (n <= 8) return only_slot(tree<8>(row, n));
    return only_slot(tree<16>(row, n));
  }
  /// Vectors place, place + group, … Up to 32 of a row are a tree, of which a lane has the levels
  /// 4 * group, 2 * group and group; beyond, 16 lanes have the slots of virtual lanes.
  ONEFOLD_DEVICE static sum sum_of_vectors(const std::int64_t* row, int vectors, int place,
                                           int group) {
    const auto load = [&](int i) {
      return place + i * group < vectors ? terms_at(row + (place + i * group) * 2) : nothing();
    };
    if (vectors > fast_tree_vectors) return sum_of_slots(load);
    sum first = load(0);
    if (vectors <= group) return first;
    sum second = load(1);
    if (vectors > 4 * group) add(first, load(4)), add(second, load(5));
    if (vectors > 2 * group) {
      sum third = load(2), fourth = load(3);
      if (vectors > 4 * group) add(third, load(6)), add(fourth, load(7));
      add(first, third), add(second, fourth);
    }
    add(first, second);
    return first;
  }
  /// Every lane of the warp calls it.
  ONEFOLD_DEVICE static void join_group(sum& to, unsigned group) {
    ONEFOLD_ROLLED
    for (unsigned mask = group / 2; mask > 0; mask /= 2) {
      ONEFOLD_UNROLL
      for (int i = 0; i < items; ++i) to.slots[i] += __shfl_xor_sync(whole_warp, to.slots[i], mask);
    }
  }

 private:
  ONEFOLD_DEVICE static T term(T x) {
    return Accumulator == accumulator::squares      ? x * x
           : Accumulator == accumulator::magnitudes ? fabs(x)
                                                    : x;
  }
  ONEFOLD_DEVICE static sum nothing() { return only_slot(T(-0.0)); }
  ONEFOLD_DEVICE static void add(sum& to, const sum& other) {
    ONEFOLD_UNROLL
    for (int i = 0; i < items; ++i) to.slots[i] += other.slots[i];
  }
  ONEFOLD_DEVICE static sum terms_at(const std::int64_t* at) {
    return terms_of(load_copied<T>(at), std::make_integer_sequence<int, items>());
  }
  template <int... I>
  ONEFOLD_DEVICE static sum terms_of(const vector_of<T>& v, std::integer_sequence<int, I...>) {
    return {{term(detail::from_bits<T>(bits_in<T, I>(v)))...}};
  }
  template <class Load>
  ONEFOLD_DEVICE static sum sum_of_slots(const Load& load) {
    constexpr int slots = int(slot_lanes<T>) / 16;
    sum made[slots];
    ONEFOLD_UNROLL
    for (int i = 0; i < slots; ++i) made[i] = load(i);
    ONEFOLD_UNROLL
    for (int i = slots; i < fast_loads; ++i) add(made[i % slots], load(i));
    if constexpr (slots == 2) add(made[0], made[1]);
    return made[0];
  }
  template <int Lanes>
  ONEFOLD_DEVICE static T tree(const T* row, int n) {
    T sums[Lanes];
    ONEFOLD_UNROLL
    for (int i = 0; i < Lanes; ++i) sums[i] = i < n ? term(row[i]) : T(-0.0);
    ONEFOLD_UNROLL
    for (int half = Lanes / 2; half > 0; half /= 2)
      for (int i = 0; i < half; ++i) sums[i] += sums[i + half];
    return sums[0];
  }
};

}  // namespace onefold::cuda
