// SPDX-License-Identifier: Apache-2.0
// Compiles the batched kernels of integers for every SIMD target.
#if defined(__FAST_MATH__) || defined(__ASSOCIATIVE_MATH__) || defined(__RECIPROCAL_MATH__)
#error "onefold's loops need IEEE arithmetic as written: compile without -ffast-math and its parts"
#endif

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/kernels/batched/batched_integers.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "cpu/kernels/batched/batched_shapes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace onefold::cpu {
namespace HWY_NAMESPACE {

// The number of elements of an output, or of the largest segment.
std::int64_t most_elements(const batched_block& block) {
  if (block.request.shape == batched_shape::rows) return block.n;
  if (block.request.shape == batched_shape::columns) return block.count;
  std::int64_t most = 0;
  for (std::int64_t k = 0; k < block.outputs; ++k)
    most = std::max(most, block.offsets[k + 1] - block.offsets[k]);
  return most;
}

template <accumulator Of, class T>
std::int64_t take_sum(const batched_block& block) {
  constexpr bool product = Of == accumulator::squares || Of == accumulator::products;
  constexpr bool narrow = sizeof(T) <= 2 && !product;
  if constexpr (narrow)
    if (most_elements(block) <= narrow_capacity<T>)
      return take_block<Of, plain_sum<i32_tag>, T>(block);
  if constexpr (!(product && sizeof(T) == 8)) {
    constexpr bool fits = narrow || sizeof(T) <= 2 || (sizeof(T) == 4 && !product);
    if (fits || block.request.accuracy == accuracy::fast)
      return take_block<Of, plain_sum<i64_tag>, T>(block);
    if constexpr (!fits) {
      constexpr bool is_signed =
          std::is_signed_v<T> && (Of == accumulator::total || Of == accumulator::products);
      return take_block<Of, halves_sum<is_signed>, T>(block);
    }
  }
  return 0;
}

template <class T>
std::int64_t take_operator(const batched_block& block) {
  switch (accumulator_of(block.request.op)) {
  case accumulator::magnitudes:
    return take_sum<accumulator::magnitudes, T>(block);
  case accumulator::squares:
    return take_sum<accumulator::squares, T>(block);
  case accumulator::products:
    return take_sum<accumulator::products, T>(block);
  default:
    return take_sum<accumulator::total, T>(block);
  }
}

std::int64_t reduce_batched_integers(const batched_block& block) {
  switch (block.request.input) {
  case dtype::boolean:
    return take_operator<bool>(block);
  case dtype::i8:
    return take_operator<std::int8_t>(block);
  case dtype::i16:
    return take_operator<std::int16_t>(block);
  case dtype::i32:
    return take_operator<std::int32_t>(block);
  case dtype::u8:
    return take_operator<std::uint8_t>(block);
  case dtype::u16:
    return take_operator<std::uint16_t>(block);
  case dtype::u32:
    return take_operator<std::uint32_t>(block);
  case dtype::u64:
    return take_operator<std::uint64_t>(block);
  default:
    return take_operator<std::int64_t>(block);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace onefold::cpu
HWY_AFTER_NAMESPACE();
