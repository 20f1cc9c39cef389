// SPDX-License-Identifier: Apache-2.0
#pragma once
// What rows and columns add up for each element, and in what.

#include "cuda/many/answer.cuh"
#include "cuda/many/redo.cuh"
#include "cuda/parts/integer_terms.cuh"

#include <utility>

namespace onefold::cuda {

/// Elements of a floating type.
template <family Family, class T, class Rounding = upward>
struct many_terms {
  using element = T;
  using of = terms<Family, T>;
  using bits = typename of::bits;
  using sum = std::conditional_t<std::is_same_v<T, double>, pair_sum, bracket_sum_of<Rounding>>;
  static constexpr int digits = of::words;  ///< words of shared memory of a warp
  static constexpr bits pad = of::format::sign_bit;

  ONEFOLD_DEVICE static void add(sum& to, bits a) {
    if constexpr (of::has_errors) {
      const double x = double_of<T>(a);
      to.add_product(x, x);
    } else {
      to.add(of::term(a, a));
    }
  }
  template <class Vector>
  ONEFOLD_DEVICE static void add_vector(sum& to, const Vector& v) {
    add_items(to, v, std::make_integer_sequence<int, vector_items<T>>());
  }
  /// Writes the answer k of n elements, `stride` apart. Every lane of the warp calls it.
  ONEFOLD_DEVICE static void redo(const T* x, std::int64_t stride, const answer_form& form,
                                  std::int64_t* words, void* out, std::int64_t k) {
    redo_answer<Family, T>(x, stride, form.n, form.what, form.output, words, out, k);
  }

 private:
  template <class Vector, int... I>
  ONEFOLD_DEVICE static void add_items(sum& to, const Vector& v, std::integer_sequence<int, I...>) {
    (add(to, bits_in<T, I>(v)), ...);
  }
};

/// Integers, whose sums are always decided.
template <family Family, class T>
struct many_integers {
  using element = T;
  using of = integer_terms<Family, T>;
  using bits = typename of::bits;
  using sum = counter_sum<of::counters>;
  static constexpr int digits = 0;
  static constexpr bits pad = 0;

  ONEFOLD_DEVICE static void add(sum& to, bits a) { of::add(a, a, to.counts); }
  template <class Vector>
  ONEFOLD_DEVICE static void add_vector(sum& to, const Vector& v) {
    if constexpr (of::bytes) {
      std::uint32_t count = of::add_bytes(v.x, v.x, 0);
      count = of::add_bytes(v.y, v.y, count);
      count = of::add_bytes(v.z, v.z, count);
      count = of::add_bytes(v.w, v.w, count);
      to.counts[0] += of::is_signed ? std::int64_t(std::int32_t(count)) : std::int64_t(count);
    } else {
      add_items(to, v, std::make_integer_sequence<int, vector_items<T>>());
    }
  }
  ONEFOLD_DEVICE static void redo(const T*, std::int64_t, const answer_form&, std::int64_t*, void*,
                                  std::int64_t) {}

 private:
  template <class Vector, int... I>
  ONEFOLD_DEVICE static void add_items(sum& to, const Vector& v, std::integer_sequence<int, I...>) {
    (add(to, bits_in<T, I>(v)), ...);
  }
};

/// Answers of x[outer][n][inner]: answer k = (o, c) is that of x[o][0 … n - 1][c].
struct many_arguments {
  const void* x;
  void* out;
  std::int64_t* partials;  ///< of answers in several parts: [Sum::parts][parts][answers]
  std::int64_t outer, n, inner;
  std::int64_t part;  ///< elements of a part but the last
  std::int64_t parts;
  answer_form form;

  ONEFOLD_DEVICE std::int64_t answers() const { return outer * inner; }
};

/// Sums up answer k of each lane that says so again, by the whole warp, in `words` of shared
/// memory. Every lane of the warp calls it.
template <class Terms>
ONEFOLD_DEVICE void redo_answers(const many_arguments& a, bool undecided, std::int64_t k,
                                 std::int64_t* words) {
  ONEFOLD_ROLLED
  for (unsigned left = __ballot_sync(whole_warp, undecided); left != 0; left &= left - 1) {
    const std::int64_t again =
        __shfl_sync(whole_warp, static_cast<long long>(k), __ffs(int(left)) - 1);
    const std::int64_t o = a.inner == 1 ? again : again / a.inner;
    const auto* const x = static_cast<const typename Terms::element*>(a.x);
    Terms::redo(x + (o * a.n * a.inner + (again - o * a.inner)), a.inner, a.form, words, a.out,
                again);
  }
}

/// Writes a lane's answer, if it has one: k >= 0. Every lane of the warp calls it.
template <class Terms>
ONEFOLD_DEVICE void write_answers(const many_arguments& a, const typename Terms::sum& sum,
                                  std::int64_t k, std::int64_t* words) {
  const bool decided = k < 0 || write_answer(sum, a.form, a.out, k);
  if constexpr (Terms::digits > 0) redo_answers<Terms>(a, !decided, k, words);
}

}  // namespace onefold::cuda
