// SPDX-License-Identifier: Apache-2.0
#pragma once
// Counts of elements that are not zero and of NaNs: the state of detail/nonzero_counts.hpp.
//
// Elements of 8 and 16 bits are counted a word at a time: an addition carries into the top bit of
// each that is not zero, or is beyond infinity, and those bits are counted.

#include "cuda/parts/cuda_compat.cuh"

#include <cstdint>
#include <type_traits>

#include "cuda/full/one_launch.cuh"
#include "onefold/detail/float_format.hpp"
#include "onefold/detail/nonzero_counts.hpp"

namespace onefold::cuda::folds {

template <class T>
class count_fold {
 public:
  using element = T;
  using state = detail::nonzero_counts;
  static constexpr int state_words = 3;
  static constexpr int partial_words = 2;  ///< non-zeros, NaNs

  template <unsigned Vectors>
  __device__ __forceinline__ void take(const uint4 (&v)[Vectors], std::int64_t) {
    unsigned nonzeros = 0, nans = 0;  // of 64 elements at most
    for (unsigned i = 0; i < Vectors; ++i) count(v[i], nonzeros, nans);
    nonzeros_ += nonzeros, nans_ += nans;
  }
  __device__ void take_one(bits_of<T> bits, std::int64_t) {
    unsigned nonzeros = 0, nans = 0;
    count_one(bits, nonzeros, nans);
    nonzeros_ += nonzeros, nans_ += nans;
  }

  __device__ void store(std::int64_t* to) const { to[0] = nonzeros_, to[1] = nans_; }
  __device__ static void clear(std::int64_t* to) { to[0] = to[1] = 0; }
  __device__ static void merge(std::int64_t* into, const std::int64_t* from) {
    into[0] += from[0], into[1] += from[1];
  }
  __device__ static void finish(const vectors<T>&, std::int64_t n, const std::int64_t* partial,
                                std::int64_t*, std::int64_t* words) {
    if (threadIdx.x == 0) words[0] = n, words[1] = partial[0], words[2] = partial[1];
  }

 private:
  static constexpr bool floating = !std::is_integral_v<T>;

  __device__ __forceinline__ static void count_one(bits_of<T> bits, unsigned& nonzeros,
                                                   unsigned& nans) {
    if constexpr (floating) {
      using format = detail::float_format<T>;
      const auto magnitude = bits_of<T>(bits & bits_of<T>(~format::sign_bit));
      nonzeros += magnitude != 0;
      nans += magnitude > format::infinity;
    } else {
      nonzeros += bits != 0;
    }
  }

  // A bit for each element of a word. Without its top bit an element is at most `low` in its part
  // of the word, so no sum carries into the next element.
  __device__ __forceinline__ static void count_word(unsigned word, unsigned& nonzeros,
                                                    unsigned& nans) {
    constexpr unsigned top = sizeof(T) == 1 ? 0x80808080 : 0x80008000, low = ~top;
    const unsigned magnitude = word & low;
    const unsigned carried = magnitude + low;
    if constexpr (floating) {
      constexpr unsigned margin = 0x7FFF - detail::float_format<T>::infinity;
      nonzeros += unsigned(__popc(int(carried & top)));
      nans += unsigned(__popc(int((magnitude + (margin << 16 | margin)) & top)));
    } else {
      nonzeros += unsigned(__popc(int((carried | word) & top)));
    }
  }

  __device__ __forceinline__ static void count(const uint4& v, unsigned& nonzeros, unsigned& nans) {
    if constexpr (sizeof(T) <= 2) {
      count_word(v.x, nonzeros, nans), count_word(v.y, nonzeros, nans);
      count_word(v.z, nonzeros, nans), count_word(v.w, nonzeros, nans);
    } else {
      for (unsigned j = 0; j < vector_items<T>; ++j)
        count_one(element_bits<T>(v, j), nonzeros, nans);
    }
  }

  std::int64_t nonzeros_ = 0, nans_ = 0;
};

}  // namespace onefold::cuda::folds
