// SPDX-License-Identifier: Apache-2.0
#pragma once
// reduce/vector: sixteen bytes a load, four loads in flight.
//
// The memory of a GPU answers after hundreds of cycles, so its bandwidth is reached only while
// enough bytes are on their way (J. Little's law: bytes in flight = bandwidth times latency). A
// wider load carries four times the bytes of a narrow one for the price of one instruction, and
// four of them are issued before the first is waited for. Sixteen-byte loads need addresses that
// are multiples of sixteen: what lies before the first and behind the last is folded one by one.

#include "ladder/operators.cuh"
#include "ladder/reduce/shuffle.cuh"

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace onefold::ladder {

/// Sixteen bytes of T, as one load fetches them.
template <class T>
using vector_of = std::conditional_t<std::is_same_v<T, double>, double2,
                                     std::conditional_t<std::is_same_v<T, float>, float4, int4>>;

inline constexpr unsigned loads_in_flight = 4;

// Inlined: lanes that come to one function from two loops would be counted as diverging.
template <class Operator, class T>
__device__ __forceinline__ T fold_vector(T value, const vector_of<T>& v) {
  value = Operator::fold(value, v.x);
  value = Operator::fold(value, v.y);
  if constexpr (sizeof(T) == 4) {
    value = Operator::fold(value, v.z);
    value = Operator::fold(value, v.w);
  }
  return value;
}

/// Folds vectors `at`, `at` + lanes, ... below `count` onto `value`.
template <class Operator, class T>
__device__ T fold_vectors(T value, const vector_of<T>* body, std::size_t count, std::size_t at,
                          std::size_t lanes) {
  for (; at + (loads_in_flight - 1) * lanes < count; at += loads_in_flight * lanes) {
    vector_of<T> loaded[loads_in_flight];
    for (unsigned i = 0; i < loads_in_flight; ++i) loaded[i] = body[at + i * lanes];
    for (unsigned i = 0; i < loads_in_flight; ++i) value = fold_vector<Operator>(value, loaded[i]);
  }
  for (; at < count; at += lanes) {
    const vector_of<T> loaded = body[at];
    value = fold_vector<Operator>(value, loaded);
  }
  return value;
}

/// The fold of this lane's share of in[n], for every lane of the grid.
template <class Operator, class T>
__device__ T fold_share(const T* in, std::size_t n) {
  constexpr std::size_t width = sizeof(vector_of<T>) / sizeof(T);
  const std::size_t lanes = std::size_t{gridDim.x} * blockDim.x;
  const std::size_t at = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;

  const std::size_t before = reinterpret_cast<std::uintptr_t>(in) / sizeof(T) % width;
  const std::size_t head = before == 0 ? 0 : min(n, width - before);
  const std::size_t count = (n - head) / width;
  const std::size_t tail = head + count * width;

  T value = Operator::identity;
  for (std::size_t i = at; i < head; i += lanes) value = Operator::fold(value, in[i]);
  value = fold_vectors<Operator>(value, reinterpret_cast<const vector_of<T>*>(in + head), count, at,
                                 lanes);
  for (std::size_t i = tail + at; i < n; i += lanes) value = Operator::fold(value, in[i]);
  return value;
}

/// Shape:  in[n], n >= 0, aligned to T; partials[grid]; block a power of two; any grid.
/// Order:  not that of the elements: the operator must commute. Lane 0 writes the partial.
template <class T, class Operator>
__global__ void reduce_vector(const T* in, std::size_t n, T* partials) {
  ONEFOLD_DYNAMIC_SHARED(T, warps);

  const T value = fold_block<Operator>(fold_share<Operator>(in, n), warps);
  if (threadIdx.x == 0) partials[blockIdx.x] = value;
}

}  // namespace onefold::ladder
