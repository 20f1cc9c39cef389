// SPDX-License-Identifier: Apache-2.0
#pragma once
// Elements that lie anywhere: where they are, and what they hold.

#include "cuda/kernels/strided/strided.hpp"
#include "cuda/primitives/divisor.hpp"
#include "cuda/primitives/element.cuh"
#include "cuda/primitives/load.cuh"

namespace onefold::cuda {

/// Bytes from the first element of each operand.
struct nest_place {
  std::int64_t x = 0, y = 0, mask = 0;
};

/// Adds where an index of the axes begin … end - 1 lies, counted with the last one fastest.
ONEFOLD_DEVICE void step_into(const axis_nest& nest, int begin, int end, std::int64_t index,
                              nest_place& at) {
  ONEFOLD_ROLLED
  for (int a = end - 1; a >= begin; --a) {
    const std::int64_t rest = a > begin ? quotient(index, nest.axis[a].extent) : 0;
    const std::int64_t along = index - rest * nest.axis[a].extent;
    at.x += along * nest.axis[a].x_bytes;
    at.y += along * nest.axis[a].y_bytes;
    at.mask += along * nest.axis[a].mask_bytes;
    index = rest;
  }
}

/// The elements of one piece, and the place of its answer.
struct nest_piece {
  nest_place base;
  std::int64_t first, last;

  ONEFOLD_DEVICE nest_piece(const strided_request& request, std::int64_t piece) {
    const std::int64_t output = quotient(piece, request.pieces);
    first = (piece - output * request.pieces) * request.piece_items;
    last = min(first + request.piece_items, request.items);
    step_into(request.axes, 0, request.axes.kept, request.first_output + output, base);
  }
};

/// take(piece, its number) of each piece of this warp, which are every so many-th one.
template <class Take>
ONEFOLD_DEVICE void for_each_piece(const strided_request& request, const Take& take) {
  constexpr unsigned warps = strided_threads / warp_lanes;
  const std::int64_t all = request.outputs * request.pieces, step = std::int64_t(gridDim.x) * warps;
  ONEFOLD_ROLLED
  for (std::int64_t k = std::int64_t(blockIdx.x) * warps + threadIdx.x / warp_lanes; k < all;
       k += step)
    take(nest_piece(request, k), k);
}

/// The bits of an element of that size.
ONEFOLD_DEVICE std::uint64_t raw_bits(const std::byte* at, unsigned bytes, bool aligned) {
  if (!aligned) {
    std::uint64_t bits = 0;
    ONEFOLD_ROLLED
    for (unsigned i = 0; i < bytes; ++i) bits |= std::uint64_t(at[i]) << 8 * i;
    return bits;
  }
  switch (bytes) {
  case 1:
    return *reinterpret_cast<const std::uint8_t*>(at);
  case 2:
    return *reinterpret_cast<const std::uint16_t*>(at);
  case 4:
    return *reinterpret_cast<const std::uint32_t*>(at);
  default:
    return *reinterpret_cast<const std::uint64_t*>(at);
  }
}

/// The bits of element r of a piece, and of its second factor; false where it is not of the piece,
/// or masked out.
template <bool Pairs>
ONEFOLD_DEVICE bool load_pair(const strided_request& request, const nest_piece& piece,
                              std::int64_t r, std::uint64_t& x, std::uint64_t& y) {
  x = y = 0;
  if (r >= piece.last) return false;
  nest_place at = piece.base;
  step_into(request.axes, request.axes.kept, request.axes.all, r, at);
  if (request.mask != nullptr && request.mask[at.mask] == std::byte(0)) return false;
  x = raw_bits(request.x + at.x, request.x_kind.bytes, request.aligned);
  if constexpr (Pairs) y = raw_bits(request.y + at.y, request.y_kind.bytes, request.aligned);
  return true;
}

/// The bits of an element of another type in T, which holds it exactly. Of a NaN some NaN.
template <class T>
ONEFOLD_DEVICE auto bits_as(std::uint64_t raw, const element_kind& kind) {
  using bits = typename detail::float_format<T>::bits;
  if constexpr (sizeof(T) == 2) {
    return bits(raw);
  } else {
    constexpr dtype own = sizeof(T) == 4 ? dtype::f32 : dtype::f64;
    if (kind.type == own) return bits(raw);
    T value;
    if (kind.type == dtype::f16)
      value = T(float_of_half(std::uint16_t(raw)));
    else if (kind.type == dtype::bf16)
      value = T(__builtin_bit_cast(float, std::uint32_t(raw) << 16));
    else if (kind.type == dtype::f32)
      value = T(__builtin_bit_cast(float, std::uint32_t(raw)));
    else
      value = T(integer_of(raw, kind));
    return __builtin_bit_cast(bits, value);
  }
}

}  // namespace onefold::cuda
