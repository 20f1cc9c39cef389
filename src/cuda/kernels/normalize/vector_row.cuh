// SPDX-License-Identifier: Apache-2.0
#pragma once
// A row as the vectors of 16 aligned bytes that it lies in, of which the first and the last may
// hold other elements, too: those are never read nor written.

#include "cuda/kernels/normalize/row_items.cuh"
#include "cuda/rounding/plain_answer.cuh"

namespace onefold::cuda {

/// Index: holds the number of any element.
template <class T, class Index>
class vector_row : row_items<T> {
 public:
  using typename row_items<T>::bits;
  using typename row_items<T>::real;
  using typename row_items<T>::rounded_vector;
  using row_items<T>::items;

  vector_row() = default;
  /// n elements at x, whose results are written to y.
  ONEFOLD_DEVICE vector_row(const T* x, T* y, Index n)
      : x_(x), y_(reinterpret_cast<bits*>(y)), n_(n),
        lead_(int(reinterpret_cast<std::uintptr_t>(x) % 16 / sizeof(T))) {}

  ONEFOLD_DEVICE Index vectors() const { return n_ > 0 ? (n_ + lead_ + items - 1) / items : 0; }
  /// Of vectors begin() … end() - 1 all elements are the row's. Others are vector 0, and the last.
  ONEFOLD_DEVICE Index begin() const { return lead_ > 0 ? 1 : 0; }
  ONEFOLD_DEVICE Index end() const { return max((n_ + lead_) / items, begin()); }
  ONEFOLD_DEVICE bool has_edges() const { return lead_ > 0 || (n_ + lead_) % items != 0; }
  /// Whether results of whole vectors are whole vectors.
  ONEFOLD_DEVICE bool writes_vectors() const {
    return (reinterpret_cast<std::uintptr_t>(y_) - std::uintptr_t(lead_) * sizeof(T)) % 16 == 0;
  }

  /// The number of a vector's first element, from -items + 1 on.
  ONEFOLD_DEVICE Index first_of(Index vector) const { return vector * items - lead_; }
  /// Where element i is: the number of its vector, its place there.
  ONEFOLD_DEVICE Index vector_with(Index i) const { return (i + lead_) / items; }
  ONEFOLD_DEVICE int item_with(Index i) const { return int((i + lead_) % items); }
  ONEFOLD_DEVICE const T* vector_at(Index vector) const { return x_ + first_of(vector); }
  /// A whole vector's results.
  ONEFOLD_DEVICE rounded_vector* results_at(Index vector) const {
    return reinterpret_cast<rounded_vector*>(y_ + first_of(vector));
  }

  /// A vector, with -Inf for what is not the row's.
  ONEFOLD_DEVICE uint4 load_edge(Index vector) const {
    constexpr auto filler =
        bits(detail::float_format<T>::infinity | detail::float_format<T>::sign_bit);
    std::uint32_t words[4] = {};
    ONEFOLD_UNROLL
    for (int i = 0; i < items; ++i) {
      const Index at = first_of(vector) + i;
      const bits element = at >= 0 && at < n_ ? detail::to_bits(x_[at]) : filler;
      words[i * int(sizeof(T)) / 4] |= std::uint32_t(element) << 8 * (i * int(sizeof(T)) % 4);
    }
    return make_uint4(words[0], words[1], words[2], words[3]);
  }

  /// A vector's results where they are the row's.
  ONEFOLD_DEVICE void write_edge(Index vector, const rounded_vector& made) const {
    ONEFOLD_UNROLL
    for (int i = 0; i < items; ++i) {
      const Index at = first_of(vector) + i;
      if (at >= 0 && at < n_)
        y_[at] = bits(made.words[i * int(sizeof(T)) / 4] >> 8 * (i * int(sizeof(T)) % 4));
    }
  }

  ONEFOLD_DEVICE Index size() const { return n_; }
  ONEFOLD_DEVICE const T* elements() const { return x_; }
  ONEFOLD_DEVICE real element(Index i) const { return row_items<T>::value(detail::to_bits(x_[i])); }
  ONEFOLD_DEVICE void write(Index i, real y) const { y_[i] = row_items<T>::rounded(y); }

 private:
  const T* x_ = nullptr;
  bits* y_ = nullptr;
  Index n_ = 0;
  int lead_ = 0;  ///< elements from the multiple of 16 bytes before x to it
};

}  // namespace onefold::cuda
