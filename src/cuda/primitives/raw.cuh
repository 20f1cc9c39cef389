// SPDX-License-Identifier: Apache-2.0
#pragma once
// Elements whose width or type is known when a kernel runs.

#include "cuda/primitives/words.cuh"
#include "onefold/dtype.hpp"

#include <cstddef>
#include <cstdint>

namespace onefold::cuda {

/// Calls f with an unsigned integer of 1, 2, 4 or 8 bytes.
template <class F>
ONEFOLD_DEVICE void with_raw(int bytes, const F& f) {
  switch (bytes) {
  case 1:
    return f(std::uint8_t());
  case 2:
    return f(std::uint16_t());
  case 4:
    return f(std::uint32_t());
  default:
    return f(std::uint64_t());
  }
}

/// The bits of an element. aligned: it is at a multiple of its size.
template <class T>
ONEFOLD_DEVICE T load_raw(const std::byte* from, bool aligned) {
  if (aligned) return *reinterpret_cast<const T*>(from);
  T made = 0;
  ONEFOLD_UNROLL
  for (unsigned i = 0; i < sizeof(T); ++i) made |= T(T(from[i]) << 8 * i);
  return made;
}

template <class T>
ONEFOLD_DEVICE void store_raw(std::byte* to, T bits, bool aligned) {
  if (aligned) {
    *reinterpret_cast<T*>(to) = bits;
    return;
  }
  ONEFOLD_UNROLL
  for (unsigned i = 0; i < sizeof(T); ++i) to[i] = std::byte(bits >> 8 * i);
}

/// Calls f with a number of the type, which is a floating one.
template <class F>
ONEFOLD_DEVICE void with_float(dtype type, const F& f) {
  switch (type) {
  case dtype::f16:
    return f(f16());
  case dtype::bf16:
    return f(bf16());
  case dtype::f32:
    return f(float());
  default:
    return f(double());
  }
}

}  // namespace onefold::cuda
