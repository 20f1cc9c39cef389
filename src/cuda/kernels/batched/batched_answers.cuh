// SPDX-License-Identifier: Apache-2.0
#pragma once
// The answers of rows and columns: where they are, and how they are written.

#include "cuda/kernels/batched/batched.hpp"
#include "cuda/rounding/quick_answer.cuh"

namespace onefold::cuda {

/// Answers of x[across][outer][n][inner]: answer k = (o, c) is that of x[…][o][…][c].
struct batched_arguments {
  const void* x;
  void* out;
  std::int64_t* partials;  ///< of answers in several parts: [Sum::parts][parts][answers]
  std::int64_t outer, n, inner;
  std::int64_t part;  ///< elements, or blocks across, of a part but the last
  std::int64_t parts;
  answer_form form;
  std::int64_t across = 1;

  ONEFOLD_DEVICE std::int64_t answers() const { return outer * inner; }
};

/// Where the first element of answer k is, in elements, and all of them from there.
struct row_elements {
  const batched_arguments& a;
  ONEFOLD_DEVICE std::int64_t place(std::int64_t k) const { return k * a.n; }
  ONEFOLD_DEVICE strided_range range() const { return {1, a.form.n, a.n, a.outer * a.n}; }
};
struct column_elements {
  const batched_arguments& a;
  const column_places& places;
  ONEFOLD_DEVICE std::int64_t place(std::int64_t k) const {
    const std::int64_t o = k / a.inner;
    return places.of_outer(o) + (k - o * a.inner) * places.inner;
  }
  ONEFOLD_DEVICE strided_range range() const { return {places.row, a.form.n, a.n, places.across}; }
};

/// Sums up answer k of each lane that says so again, by the whole warp, in `words` of shared
/// memory. Every lane of the warp calls it.
template <class Terms, class Elements>
ONEFOLD_DEVICE void fallback_answers(const batched_arguments& a, const Elements& elements,
                                     bool ambiguous, std::int64_t k, std::int64_t* words) {
  ONEFOLD_ROLLED
  for (unsigned left = __ballot_sync(whole_warp, ambiguous); left != 0; left &= left - 1) {
    __syncwarp();  // another lane has written the answer
    const std::int64_t again =
        __shfl_sync(whole_warp, static_cast<long long>(k), __ffs(int(left)) - 1);
    const auto* const x = static_cast<const typename Terms::element*>(a.x);
    Terms::fallback(x + elements.place(again), elements.range(), a.form, words, a.out, again);
  }
}
/// Of rows.
template <class Terms>
ONEFOLD_DEVICE void fallback_answers(const batched_arguments& a, bool ambiguous, std::int64_t k,
                                     std::int64_t* words) {
  fallback_answers<Terms>(a, row_elements{a}, ambiguous, k, words);
}

/// Writes a lane's answer, if it has one: k >= 0. Every lane of the warp calls it.
template <class Terms, class Elements>
ONEFOLD_DEVICE void write_answers(const batched_arguments& a, const Elements& elements,
                                  const typename Terms::sum& sum, std::int64_t k,
                                  std::int64_t* words) {
  const bool certified = k < 0 || write_answer(sum, a.form, a.out, k);
  if constexpr (Terms::digits > 0) fallback_answers<Terms>(a, elements, !certified, k, words);
}

/// The answer k of rows whose form is_plain, or any. False: ambiguous.
template <class Terms, bool Plain, class Sum>
ONEFOLD_DEVICE bool write_row(const Sum& sum, const batched_arguments& a, const quotient_bounds& by,
                              std::int64_t k) {
  if constexpr (Plain) {
    return write_plain<typename Terms::element>(sum, a.form, a.out, k);
  } else {
    if (is_quick<Terms>(a.form) && write_quickly<Terms>(sum, a.form, by, a.out, k)) return true;
    return write_slowly(sum, a.form, a.out, k);
  }
}

}  // namespace onefold::cuda
