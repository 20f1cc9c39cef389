// SPDX-License-Identifier: Apache-2.0
#pragma once
// Sums that keep what rounding took from them, and products that know their error.
//
// The error of a rounded addition or multiplication is itself a floating-point number, unless it
// underflows, and a few operations find it. A compensated sum adds these errors up beside the sum.
//
// Every operation is spelled as a rounded word: nvcc fuses a plain a * b + c into one operation
// with one rounding, and then the error that is computed is not the one that was made.
//
// Source: two_sum: D. Knuth, TAOCP 2, 4.2.2; compensated sums: A. Neumaier 1974 (the improved
// Kahan-Babuska sum), as Sum2 in T. Ogita, S. Rump, S. Oishi, "Accurate sum and dot product",
// SIAM J. Sci. Comput. 26 (2005), Algorithm 4.4.

#include "ladder/operators.cuh"

namespace onefold::ladder {

static __device__ inline float add_rounded(float a, float b) {
  return __fadd_rn(a, b);
}
static __device__ inline double add_rounded(double a, double b) {
  return __dadd_rn(a, b);
}
static __device__ inline float multiply_rounded(float a, float b) {
  return __fmul_rn(a, b);
}
static __device__ inline double multiply_rounded(double a, double b) {
  return __dmul_rn(a, b);
}
static __device__ inline float multiply_add(float a, float b, float c) {
  return __fmaf_rn(a, b, c);
}
static __device__ inline double multiply_add(double a, double b, double c) {
  return __fma_rn(a, b, c);
}

/// A rounded result, and what rounding took from it.
template <class T>
struct with_error {
  T value, error;
};

/// value + error == a + b exactly. Six operations and no branch, so lanes stay together; the
/// branch of Neumaier's form finds the same error.
template <class T>
static __device__ inline with_error<T> two_sum(T a, T b) {
  const T value = add_rounded(a, b);
  const T b_part = add_rounded(value, -a);
  const T a_part = add_rounded(value, -b_part);
  return {value, add_rounded(add_rounded(a, -a_part), add_rounded(b, -b_part))};
}

/// value + error == a * b exactly, unless the error lies below the smallest subnormal.
template <class T>
static __device__ inline with_error<T> two_product(T a, T b) {
  const T value = multiply_rounded(a, b);
  return {value, multiply_add(a, b, -value)};
}

/// A sum and the errors that its additions made, added up: the answer is sum + lost, once.
template <class T>
struct compensated {
  T sum = ladder::sum<T>::identity;
  T lost = 0;

  /// Takes in x, which is already `error` off.
  __device__ __forceinline__ void add(T x, T error = 0) {
    const with_error<T> step = two_sum(sum, x);
    sum = step.value;
    lost = add_rounded(lost, add_rounded(step.error, error));
  }

  /// A lost part of NaN means that the sum has overflowed; one of 0 must not hide a sum of -0.
  __device__ T value() const { return lost == 0 || lost != lost ? sum : add_rounded(sum, lost); }
};

/// Adds the lanes' sums and leaves the block's in partials[block] and partials[grid + block].
/// Shape:  sums[2 * blockDim] in shared memory; block a power of two; every lane comes here.
/// The two parts lie in two arrays, so that neighbouring lanes touch neighbouring words.
template <class T>
static __device__ void leave_compensated(compensated<T> value, T* sums, T* partials) {
  T* const lost = sums + blockDim.x;
  const unsigned tid = threadIdx.x;
  sums[tid] = value.sum;
  lost[tid] = value.lost;
  __syncthreads();

  for (unsigned s = blockDim.x / 2; s > 0; s /= 2) {
    if (tid < s) {
      value.add(sums[tid + s], lost[tid + s]);
      sums[tid] = value.sum;
      lost[tid] = value.lost;
    }
    __syncthreads();
  }

  if (tid == 0) {
    partials[blockIdx.x] = value.sum;
    partials[gridDim.x + blockIdx.x] = value.lost;
  }
}

}  // namespace onefold::ladder
