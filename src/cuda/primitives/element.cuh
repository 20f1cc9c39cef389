// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the bits of an element say whose type is known when the kernel runs.

#include "cuda/primitives/element_kind.hpp"
#include "cuda/primitives/words.cuh"

namespace onefold::cuda {

/// An integer as 64 bits with its own sign; a boolean is any byte but 0.
ONEFOLD_DEVICE std::int64_t integer_of(std::uint64_t raw, const element_kind& kind) {
  if (kind.type == dtype::boolean) return raw != 0;
  const unsigned above = 64 - 8 * unsigned(kind.bytes);
  return kind.is_signed ? std::int64_t(raw << above) >> above : std::int64_t(raw);
}

/// The place of an element in the order of its type: of integers the key of detail/extrema.hpp; of
/// floats the bits, all but the sign flipped for negative ones.
ONEFOLD_DEVICE std::int64_t any_place(std::uint64_t raw, const element_kind& kind) {
  if (!kind.floating) {
    const bool moved = kind.type == dtype::u64;
    return moved ? std::int64_t(raw ^ std::uint64_t(1) << 63) : integer_of(raw, kind);
  }
  const unsigned above = 64 - 8 * unsigned(kind.bytes);
  const std::int64_t bits = std::int64_t(raw << above) >> above;
  return bits ^ (bits >> 63 & std::int64_t(~std::uint64_t(0) >> (above + 1)));
}
ONEFOLD_DEVICE bool any_nan(std::uint64_t raw, const element_kind& kind) {
  return kind.floating &&
         (raw & ~std::uint64_t(0) >> (65 - 8 * unsigned(kind.bytes))) > kind.infinity;
}

}  // namespace onefold::cuda
