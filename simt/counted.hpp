// SPDX-License-Identifier: Apache-2.0
#pragma once
// An element that counts the operations on it: what an algorithm computes, whatever the compiler
// makes of it.
//
// counted<T> takes the place of T in a kernel template. It has T's size and layout, so accesses
// and requests stay the same; +, -, *, / and comparisons count one each for the lane that makes
// them (counts::element_operations). Under nvcc it computes and counts nothing.

#include "simt/simt.hpp"

#include <limits>

#if defined(__CUDACC__)
#define ONEFOLD_COUNT_OPERATION()
#else
#define ONEFOLD_COUNT_OPERATION() ::onefold::simt::count_element_operation()

extern "C" std::uint64_t onefold_simt_element_operations;
#endif

namespace onefold::simt {

#if !defined(__CUDACC__)
ONEFOLD_WORD void count_element_operation() noexcept {
  ++onefold_simt_element_operations;
}
#endif

/// A namespace of its own, in which only calls with counted elements look: its words would hide
/// those of CUDA from kernels inside onefold::simt.
namespace counting {

template <class T>
struct counted {
  T value;

  counted() = default;
  __host__ __device__ __forceinline__ constexpr counted(T v) : value(v) {}
  __host__ __device__ __forceinline__ explicit constexpr operator T() const { return value; }

#define ONEFOLD_ARITHMETIC(op)                                                                     \
  friend __host__ __device__ __forceinline__ counted operator op(counted a, counted b) {           \
    ONEFOLD_COUNT_OPERATION();                                                                     \
    return counted(static_cast<T>(a.value op b.value));                                            \
  }                                                                                                \
  friend __host__ __device__ __forceinline__ counted& operator op##=(counted& a, counted b) {      \
    return a = a op b;                                                                             \
  }
#define ONEFOLD_COMPARISON(op)                                                                     \
  friend __host__ __device__ __forceinline__ bool operator op(counted a, counted b) {              \
    ONEFOLD_COUNT_OPERATION();                                                                     \
    return a.value op b.value;                                                                     \
  }
  ONEFOLD_ARITHMETIC(+)
  ONEFOLD_ARITHMETIC(-)
  ONEFOLD_ARITHMETIC(*)
  ONEFOLD_ARITHMETIC(/)
  ONEFOLD_COMPARISON(==)
  ONEFOLD_COMPARISON(!=)
  ONEFOLD_COMPARISON(<)
  ONEFOLD_COMPARISON(<=)
  ONEFOLD_COMPARISON(>)
  ONEFOLD_COMPARISON(>=)
#undef ONEFOLD_ARITHMETIC
#undef ONEFOLD_COMPARISON

  friend __host__ __device__ __forceinline__ counted operator-(counted a) {
    ONEFOLD_COUNT_OPERATION();
    return counted(static_cast<T>(-a.value));
  }
};

#define ONEFOLD_SHUFFLE(name, argument_type)                                                       \
  template <class T>                                                                               \
  __device__ __forceinline__ counted<T> name(unsigned mask, counted<T> item,                       \
                                             argument_type argument, int width = warpSize) {       \
    return counted<T>(::name(mask, item.value, argument, width));                                  \
  }
ONEFOLD_SHUFFLE(__shfl_sync, int)
ONEFOLD_SHUFFLE(__shfl_up_sync, unsigned)
ONEFOLD_SHUFFLE(__shfl_down_sync, unsigned)
ONEFOLD_SHUFFLE(__shfl_xor_sync, int)
#undef ONEFOLD_SHUFFLE

template <class T>
__device__ __forceinline__ counted<T> atomicAdd(counted<T>* address, counted<T> item) {
  ONEFOLD_COUNT_OPERATION();
  return counted<T>(::atomicAdd(&address->value, item.value));
}

}  // namespace counting

using counting::counted;

}  // namespace onefold::simt

#undef ONEFOLD_COUNT_OPERATION

template <class T>
struct std::numeric_limits<onefold::simt::counted<T>> : std::numeric_limits<T> {};
