// SPDX-License-Identifier: Apache-2.0
#pragma once
// What is added up for each element where answers are rounded on the device, and in what.

#include "cuda/accumulators/integer_terms.cuh"
#include "cuda/rounding/fallback.cuh"

#include <utility>

namespace onefold::cuda {

/// Elements of a floating type.
template <accumulator Accumulator, class T, class Rounding = upward>
struct batched_terms {
  using element = T;
  using traits = terms<Accumulator, T>;
  using bits = typename traits::bits;
  using sum = std::conditional_t<std::is_same_v<T, double>, pair_sum, interval_sum_of<Rounding>>;
  /// Of rows of a few thousand elements: interval ends of 24 bits leave few answers of 11 bits
  /// ambiguous.
  using short_sum = std::conditional_t<sizeof(T) == 2 && !has_products<Accumulator>,
                                       interval_sum_of<Rounding, float>, sum>;
  static constexpr accumulator reduced = Accumulator;
  static constexpr int digits = traits::words;  ///< words of shared memory of a warp
  static constexpr bool has_products = cuda::has_products<Accumulator>;
  static constexpr bits pad = traits::format::sign_bit;
  static constexpr bool squares = Accumulator == accumulator::squares, counts_integers = false;

  template <class Sum>
  ONEFOLD_DEVICE static void add(Sum& to, bits a) {
    if constexpr (traits::has_errors) {
      const double x = double_of<T>(a);
      to.add_product(x, x);
    } else {
      to.add(traits::term(a, a));
    }
  }
  ONEFOLD_DEVICE static void add(interval_sum_of<Rounding, float>& to, bits a) {
    to.add(traits::float_term(a));
  }
  template <class Sum, class Vector>
  ONEFOLD_DEVICE static void add_vector(Sum& to, const Vector& v) {
    add_items(to, v, std::make_integer_sequence<int, vector_items<T>>());
  }
  /// The sum of one vector.
  template <class Sum, class Vector>
  ONEFOLD_DEVICE static void begin_vector(Sum& to, const Vector& v) {
    begin_items(to, v, std::make_integer_sequence<int, vector_items<T> - 1>());
  }
  /// Writes the answer k of some elements. Every lane of the warp calls it.
  ONEFOLD_DEVICE static void fallback(const T* x, const strided_range& elements,
                                      const answer_form& form, std::int64_t* words, void* out,
                                      std::int64_t k) {
    fallback_answer<Accumulator, T>(x, elements, form.which, form.output, words, out, k);
  }

 private:
  template <class Sum, class Vector, int... I>
  ONEFOLD_DEVICE static void add_items(Sum& to, const Vector& v, std::integer_sequence<int, I...>) {
    (add(to, bits_in<T, I>(v)), ...);
  }
  template <class Sum, class Vector, int... I>
  ONEFOLD_DEVICE static void begin_items(Sum& to, const Vector& v,
                                         std::integer_sequence<int, I...>) {
    if constexpr (traits::has_errors) {
      to = Sum();
      return add_vector(to, v);
    } else if constexpr (std::is_same_v<Sum, pair_sum>) {
      return to.begin(traits::term(bits_in<T, 0>(v), 0), traits::term(bits_in<T, 1>(v), 0));
    } else {
      begin_item(to, bits_in<T, 0>(v));
      (add(to, bits_in<T, I + 1>(v)), ...);
    }
  }
  ONEFOLD_DEVICE static void begin_item(sum& to, bits a) { to.begin(traits::term(a, a)); }
  ONEFOLD_DEVICE static void begin_item(interval_sum_of<Rounding, float>& to, bits a) {
    to.begin(traits::float_term(a));
  }
};

/// Integers, whose sums are always decided.
template <accumulator Accumulator, class T>
struct batched_integers {
  using element = T;
  using traits = integer_terms<Accumulator, T>;
  using bits = typename traits::bits;
  using sum = counter_sum<traits::counters>;
  using short_sum = sum;
  static constexpr int digits = 0;
  static constexpr bool has_products = traits::has_products;
  static constexpr bits pad = 0;
  static constexpr bool counts_integers = true;

  ONEFOLD_DEVICE static void add(sum& to, bits a) { traits::add(a, a, to.counts); }
  template <class Vector>
  ONEFOLD_DEVICE static void add_vector(sum& to, const Vector& v) {
    if constexpr (traits::bytes) {
      std::uint32_t count = traits::add_bytes(v.x, v.x, 0);
      count = traits::add_bytes(v.y, v.y, count);
      count = traits::add_bytes(v.z, v.z, count);
      count = traits::add_bytes(v.w, v.w, count);
      to.counts[0] += traits::is_signed ? std::int64_t(std::int32_t(count)) : std::int64_t(count);
    } else {
      add_items(to, v, std::make_integer_sequence<int, vector_items<T>>());
    }
  }
  template <class Vector>
  ONEFOLD_DEVICE static void begin_vector(sum& to, const Vector& v) {
    to = sum();
    add_vector(to, v);
  }
  ONEFOLD_DEVICE static void fallback(const T*, const strided_range&, const answer_form&,
                                      std::int64_t*, void*, std::int64_t) {}

 private:
  template <class Vector, int... I>
  ONEFOLD_DEVICE static void add_items(sum& to, const Vector& v, std::integer_sequence<int, I...>) {
    (add(to, bits_in<T, I>(v)), ...);
  }
};

}  // namespace onefold::cuda
