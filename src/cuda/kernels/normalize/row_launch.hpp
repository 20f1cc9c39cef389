// SPDX-License-Identifier: Apache-2.0
// How a grid shares out rows that are read, and written in the same shape: lanes of a row, rows of
// a block.
#pragma once

#include <cstdint>

#include "onefold/dtype.hpp"

namespace onefold::cuda {

/// How the elements of a row come to its lanes.
enum class row_way : unsigned char {
  held,      ///< aligned vectors, which stay in registers
  streamed,  ///< aligned vectors, read again
  elements,  ///< one by one, read again: any alignment
};

/// Vectors of 16 bytes that a lane holds at a time.
inline constexpr unsigned row_vectors = 4;
/// Lanes of a block at most: rows of up to 32 KiB are held.
inline constexpr unsigned row_lanes = 512;

/// Rows of at most 32 lanes, a power of two, share a block; others have one each.
struct row_launch {
  row_way way;
  unsigned lanes;         ///< of a row: a power of two, or a multiple of 32
  unsigned threads;       ///< of a block
  unsigned across, down;  ///< blocks of a grid of two dimensions
};

/// Whether vectors can be read and written there.
inline bool has_vectors(const void* address) {
  return reinterpret_cast<std::uintptr_t>(address) % 16 == 0;
}

/// aligned: of all addresses. Precondition: there is a row.
row_launch row_launch_of(bool aligned, std::int64_t rows, std::int64_t n, std::int64_t stride,
                         dtype type);

}  // namespace onefold::cuda
