// SPDX-License-Identifier: Apache-2.0
#pragma once
// The sums of the columns of one vector.

#include "cuda/exact/bool_bytes.cuh"
#include "cuda/many/answers.cuh"

namespace onefold::cuda {

template <class Terms>
inline constexpr bool adds_bytes = false;
template <accumulator Accumulator, class T>
inline constexpr bool adds_bytes<many_integers<Accumulator, T>> = sizeof(T) == 1;

/// A vector of a row after the other. close() comes before anybody reads the sums.
template <class Terms, bool Bytes = adds_bytes<Terms>>
class column_sums {
 public:
  using T = typename Terms::element;
  static constexpr int items = vector_items<T>;
  typename Terms::sum sums[items];

  ONEFOLD_DEVICE void add(const vector_of<T>& v) {
    add(v, std::make_integer_sequence<int, items>());
  }
  /// The first `count` columns alone.
  ONEFOLD_DEVICE void add_first(const vector_of<T>& v, int count) {
    add_first(v, count, std::make_integer_sequence<int, items>());
  }
  ONEFOLD_DEVICE void close() {}

 private:
  template <int... I>
  ONEFOLD_DEVICE void add(const vector_of<T>& v, std::integer_sequence<int, I...>) {
    (Terms::add(sums[I], bits_in<T, I>(v)), ...);
  }
  template <int... I>
  ONEFOLD_DEVICE void add_first(const vector_of<T>& v, int count,
                                std::integer_sequence<int, I...>) {
    ((I < count ? Terms::add(sums[I], bits_in<T, I>(v)) : void()), ...);
  }
};

/// Of bytes: two columns in the halves of a word, which hold 256 rows. One by one, each byte would
/// cost three instructions, twice what there is time for.
template <class Terms>
class column_sums<Terms, true> : public column_sums<Terms, false> {
 public:
  ONEFOLD_DEVICE void add(const uint4& v) {
    const std::uint32_t words[4] = {v.x, v.y, v.z, v.w};
    ONEFOLD_UNROLL
    for (int w = 0; w < 4; ++w) {
      const std::uint32_t terms = terms_of(words[w]);
      even_[w] += terms & 0x00FF00FF;
      odd_[w] += terms >> 8 & 0x00FF00FF;
    }
    if (++rows_ == most_rows) close();
  }
  ONEFOLD_DEVICE void close() {
    ONEFOLD_UNROLL
    for (int i = 0; i < 16; ++i) {
      const std::uint32_t pair = i % 2 == 0 ? even_[i / 4] : odd_[i / 4];
      const std::uint32_t half = i % 4 < 2 ? pair & 0xFFFF : pair >> 16;
      this->sums[i].counts[0] += std::int64_t(half) - bias * rows_;
    }
    ONEFOLD_UNROLL
    for (int w = 0; w < 4; ++w) even_[w] = odd_[w] = 0;
    rows_ = 0;
  }

 private:
  static constexpr bool below_zero = Terms::of::is_signed;
  static constexpr int most_rows = 256;  // 256 * 255 < 2^16
  static constexpr std::int64_t bias = below_zero ? 128 : 0;

  // Not below zero: x + 128 of a signed byte x.
  ONEFOLD_DEVICE static std::uint32_t terms_of(std::uint32_t bytes) {
    if constexpr (std::is_same_v<typename Terms::element, bool_byte>) return bool_bytes_of(bytes);
    return below_zero ? bytes ^ 0x80808080 : bytes;
  }

  std::uint32_t even_[4] = {}, odd_[4] = {};
  int rows_ = 0;
};

}  // namespace onefold::cuda
