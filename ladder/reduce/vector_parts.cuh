// SPDX-License-Identifier: Apache-2.0
#pragma once
// An array as vectors of sixteen bytes, for the rungs that fetch or fold them in their own way.

#include "ladder/reduce/vector.cuh"

#include <cstddef>
#include <cstdint>

namespace onefold::ladder {

/// in[n] as whole vectors, and what lies before and behind them.
template <class T>
struct vector_parts {
  static constexpr std::size_t width = sizeof(vector_of<T>) / sizeof(T);

  __device__ __forceinline__ vector_parts(const T* in, std::size_t n) {
    const std::size_t before = reinterpret_cast<std::uintptr_t>(in) / sizeof(T) % width;
    head = before == 0 ? 0 : min(n, width - before);
    count = (n - head) / width;
    tail = head + count * width;
    body = reinterpret_cast<const vector_of<T>*>(in + head);
  }

  const vector_of<T>* body;
  std::size_t count;       ///< vectors
  std::size_t head, tail;  ///< in[0 .. head) and in[tail .. n) are no part of them
};

/// Folds the elements of a vector onto `value`, which need not be of their type.
template <class Operator, class T, class Value>
__device__ __forceinline__ Value fold_vector_onto(Value value, const vector_of<T>& v) {
  value = Operator::fold(value, v.x);
  value = Operator::fold(value, v.y);
  if constexpr (sizeof(T) == 4) {
    value = Operator::fold(value, v.z);
    value = Operator::fold(value, v.w);
  }
  return value;
}

/// The fold of this lane's share of in[n] onto `value`, for every lane of the grid: that of
/// fold_share, for values of another type.
template <class Operator, class T, class Value>
static __device__ Value fold_share_onto(Value value, const T* in, std::size_t n) {
  const std::size_t lanes = std::size_t{gridDim.x} * blockDim.x;
  const std::size_t first = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const vector_parts<T> parts(in, n);

  for (std::size_t i = first; i < parts.head; i += lanes) value = Operator::fold(value, in[i]);
  std::size_t at = first;
  for (; at + (loads_in_flight - 1) * lanes < parts.count; at += loads_in_flight * lanes) {
    vector_of<T> loaded[loads_in_flight];
    for (unsigned i = 0; i < loads_in_flight; ++i) loaded[i] = parts.body[at + i * lanes];
    for (const vector_of<T>& v : loaded) value = fold_vector_onto<Operator, T>(value, v);
  }
  for (; at < parts.count; at += lanes) {
    const vector_of<T> loaded = parts.body[at];
    value = fold_vector_onto<Operator, T>(value, loaded);
  }
  for (std::size_t i = parts.tail + first; i < n; i += lanes) value = Operator::fold(value, in[i]);
  return value;
}

}  // namespace onefold::ladder
