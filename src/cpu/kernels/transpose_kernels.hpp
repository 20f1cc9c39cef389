// SPDX-License-Identifier: Apache-2.0
// The table of one SIMD target's loops that transpose a matrix.
#pragma once

#include <cstddef>
#include <cstdint>

namespace onefold::cpu {

/// The side of a tile in bytes, in both matrices: a cache line.
inline constexpr std::int64_t tile_bytes = 64;

/// A transpose of rows of contiguous elements: `to` has `columns` rows of `rows` elements.
struct turn {
  const std::byte* from;
  std::byte* to;
  std::int64_t rows, columns;
  std::int64_t from_stride, to_stride;  ///< bytes between rows, of any sign
  bool streaming;                       ///< with streaming stores where lines of `to` are aligned
};

struct transpose_kernels {
  using loop = void (*)(const turn&);
  loop of_8, of_16, of_32, of_64;  ///< by the bits of an element
};

}  // namespace onefold::cpu
