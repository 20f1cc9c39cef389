// SPDX-License-Identifier: Apache-2.0
#pragma once
// The and, or and xor of integers: the state of detail/bit_fold.hpp.
//
// Elements narrower than a word are folded side by side; the parts of the word are folded, cut to
// the element and extended by its sign at the end.

#include "cuda/parts/cuda_compat.cuh"

#include <cstdint>
#include <type_traits>

#include "cuda/exact/bool_bytes.cuh"
#include "cuda/full/one_launch.cuh"
#include "onefold/detail/bit_fold.hpp"

namespace onefold::cuda::folds {

template <class T>
class bits_fold {
 public:
  using element = T;
  using state = detail::bit_fold;
  static constexpr int state_words = 4;
  static constexpr int partial_words = 3;  ///< and, or, xor

  template <unsigned Vectors>
  __device__ __forceinline__ void take(const uint4 (&v)[Vectors], std::int64_t) {
    for (unsigned i = 0; i < Vectors; ++i) {
      if constexpr (sizeof(T) == 8) {
        take_word(element_bits<T>(v[i], 0)), take_word(element_bits<T>(v[i], 1));
      } else {
        take_word(v[i].x), take_word(v[i].y), take_word(v[i].z), take_word(v[i].w);
      }
    }
  }
  __device__ void take_one(bits_of<T> bits, std::int64_t) {
    if constexpr (std::is_same_v<T, bool>) bits = bits != 0;
    and_ &= word(bits) | ~word(bits_of<T>(~bits_of<T>(0)));
    or_ |= bits, xor_ ^= bits;
  }

  __device__ void store(std::int64_t* to) const {
    bits_of<T> all = bits_of<T>(and_), any = bits_of<T>(or_), odd = bits_of<T>(xor_);
    for (unsigned shift = 8 * sizeof(T); shift < 8 * sizeof(word); shift += 8 * sizeof(T)) {
      all &= bits_of<T>(and_ >> shift), any |= bits_of<T>(or_ >> shift);
      odd ^= bits_of<T>(xor_ >> shift);
    }
    to[0] = extended(all), to[1] = extended(any), to[2] = extended(odd);
  }
  __device__ static void clear(std::int64_t* to) { to[0] = -1, to[1] = to[2] = 0; }
  __device__ static void merge(std::int64_t* into, const std::int64_t* from) {
    into[0] &= from[0], into[1] |= from[1], into[2] ^= from[2];
  }
  __device__ static void finish(const vectors<T>&, std::int64_t n, const std::int64_t* partial,
                                std::int64_t*, std::int64_t* words) {
    if (threadIdx.x != 0) return;
    words[0] = n, words[1] = n == 0 ? -1 : partial[0];
    words[2] = partial[1], words[3] = partial[2];
  }

 private:
  using word = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;

  // A fold of nothing has all bits set, which the extension of an unsigned element must not keep:
  // the and of such words is right all the same, as some word is a fold of elements.
  __device__ static std::int64_t extended(bits_of<T> bits) {
    if constexpr (std::is_signed_v<T>)
      return std::int64_t(std::make_signed_t<bits_of<T>>(bits));
    else
      return std::int64_t(bits);
  }
  __device__ __forceinline__ void take_word(word next) {
    if constexpr (std::is_same_v<T, bool>) next = bool_bytes_of(next);
    and_ &= next, or_ |= next, xor_ ^= next;
  }

  word and_ = ~word(0), or_ = 0, xor_ = 0;
};

}  // namespace onefold::cuda::folds
