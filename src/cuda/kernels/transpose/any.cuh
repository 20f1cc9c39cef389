// SPDX-License-Identifier: Apache-2.0
#pragma once
// Copies of matrices that turn_matrix does not take, by tiles in shared memory.
//
// Short rows that follow each other are a slab: a range of memory, copied by vectors of 16 bytes.
// Of the long rows on the other side, a lane takes strips: 16 bytes, whose elements are a pitch
// apart in the slab. Everything else is copied by elements.

#include "cuda/kernels/transpose/tiles.cuh"
#include "cuda/primitives/load.cuh"
#include "cuda/primitives/raw.cuh"

namespace onefold::cuda {

/// Loads: vectors or elements that a lane loads before it uses the first.
inline constexpr unsigned any_threads = 128, any_loads = 4;

/// A tile in shared memory. Of a slab, words or pairs of words of each 128 bytes are permuted by an
/// exclusive or with the number of these: elements a power of two apart are in different banks
/// then.
template <class T>
struct any_memory {
  static constexpr unsigned size = sizeof(T);
  std::uint32_t* words;
  unsigned swizzle, pitch;
  unsigned origin;  ///< byte of the first element

  ONEFOLD_DEVICE std::uint32_t& word(unsigned byte) const {
    return words[byte / 4 ^ (byte / 128 & swizzle)];
  }
  ONEFOLD_DEVICE T& item(unsigned byte) const {
    return reinterpret_cast<T*>(&word(byte))[byte % 4 / size];
  }

  /// Strips: of 1, elements a pitch apart, the first of which is at `byte`. Of bytes: of 4, the
  /// same of four rows below each other; of 2 or 3, those of all rows.
  template <unsigned Strips>
  ONEFOLD_DEVICE void get(unsigned byte, uint4 (&to)[Strips]) const {
    if constexpr (Strips == 1) {
      std::uint64_t halves[2] = {0, 0};
      ONEFOLD_UNROLL
      for (unsigned i = 0; i < 16; i += size, byte += pitch)
        halves[i / 8] |= std::uint64_t(item(byte)) << 8 * (i % 8);
      to[0] = make_uint4(std::uint32_t(halves[0]), std::uint32_t(halves[0] >> 32),
                         std::uint32_t(halves[1]), std::uint32_t(halves[1] >> 32));
    } else {
      std::uint32_t square[4][4], packed[4 * Strips];
      ONEFOLD_UNROLL
      for (unsigned i = 0; i < 4 * Strips && Strips < 4; ++i) packed[i] = word(byte + 4 * i);
      ONEFOLD_UNROLL
      for (unsigned i = 0; i < 16; ++i, byte += pitch)
        square[i / 4][i % 4] =
            Strips < 4 ? __byte_perm(packed[i * Strips / 4], packed[(i * Strips + Strips - 1) / 4],
                                     0x3210 + 0x1111 * (i * Strips % 4))
                       : __byte_perm(word(byte), word(byte + 3), 0x3210 + 0x1111 * (byte % 4));
      ONEFOLD_UNROLL
      for (auto& rows : square) turn_square(rows);
      ONEFOLD_UNROLL
      for (unsigned j = 0; j < Strips; ++j)
        to[j] = make_uint4(square[0][j], square[1][j], square[2][j], square[3][j]);
    }
  }
  /// Of several strips, words are aligned.
  template <unsigned Strips>
  ONEFOLD_DEVICE void put(unsigned byte, const uint4 (&from)[Strips]) const {
    if constexpr (Strips == 1) {
      const std::uint64_t halves[2] = {std::uint64_t(from[0].y) << 32 | from[0].x,
                                       std::uint64_t(from[0].w) << 32 | from[0].z};
      ONEFOLD_UNROLL
      for (unsigned i = 0; i < 16; i += size, byte += pitch)
        item(byte) = T(halves[i / 8] >> 8 * (i % 8));
    } else {
      std::uint32_t square[4][4] = {};
      ONEFOLD_UNROLL
      for (unsigned j = 0; j < Strips; ++j)
        square[0][j] = from[j].x, square[1][j] = from[j].y, square[2][j] = from[j].z,
        square[3][j] = from[j].w;
      ONEFOLD_UNROLL
      for (auto& rows : square) turn_square(rows);
      ONEFOLD_UNROLL
      for (unsigned i = 0; i < 4 * Strips; ++i, byte += Strips < 4 ? 4 : pitch) {
        const unsigned low = 4 * i / Strips, high = (4 * i + 3) / Strips;
        constexpr unsigned bytes = Strips == 2 ? 0x5410 : Strips == 3 ? 0x654210 : 0x3210;
        word(byte) = __byte_perm(square[low / 4][low % 4], square[high / 4][high % 4],
                                 bytes >> 4 * (4 * i % Strips) & 0xFFFF);
      }
    }
  }
};

/// A block's shares of the long rows; or its slab, which is one row.
struct any_rows {
  std::byte* base;
  std::int64_t stride;
  unsigned count;
  int bytes;        ///< of a row
  divisor vectors;  ///< of a row, wherever it begins
};

/// 16 bytes of each of some rows below each other.
struct any_strips {
  unsigned line;   ///< the first
  int at;          ///< in bytes of a row
  std::byte* row;  ///< the first
  bool whole;

  ONEFOLD_DEVICE any_strips(const any_rows& rows, unsigned index, unsigned lines) {
    const unsigned group = rows.vectors.quotient(index);
    line = group * lines;
    row = rows.base + line * rows.stride;
    at = int((index - group * rows.vectors.value()) * 16) -
         int(reinterpret_cast<std::uintptr_t>(row) % 16);
    whole = line < rows.count && at >= 0 && at + 16 <= rows.bytes;
  }
};

/// Copies rows, Strips below each other at once, by the vectors of `memory`, and what is no whole
/// vector by the items of `tile`.
template <bool Load, unsigned Strips, class T, class V>
ONEFOLD_DEVICE void copy_rows(const any_rows& rows, const any_memory<T>& tile,
                              const any_memory<V>& memory) {
  constexpr unsigned batch = Load ? (any_loads + Strips - 1) / Strips : 1;
  constexpr int size = int(sizeof(T));
  const unsigned count = (rows.count + Strips - 1) / Strips * rows.vectors.value();
  for (unsigned first = threadIdx.x; first < count; first += batch * any_threads) {
    uint4 vectors[batch][Strips];
    ONEFOLD_UNROLL
    for (unsigned i = 0; i < batch; ++i) {
      const any_strips strips(rows, first + i * any_threads, Strips);
      ONEFOLD_UNROLL
      for (unsigned j = 0; j < Strips; ++j)
        if (Load && strips.whole && strips.line + j < rows.count)
          vectors[i][j] = load_vector(strips.row + j * rows.stride + strips.at);
    }
    ONEFOLD_UNROLL
    for (unsigned i = 0; i < batch; ++i) {
      const any_strips strips(rows, first + i * any_threads, Strips);
      const auto place = [&](int at) {
        return tile.origin + strips.line * unsigned(size) +
               unsigned(at) / unsigned(size) * tile.pitch;
      };
      if (strips.whole)
        Load ? memory.template put<Strips>(place(strips.at), vectors[i])
             : memory.template get<Strips>(place(strips.at), vectors[i]);
      ONEFOLD_UNROLL
      for (unsigned j = 0; j < Strips && strips.line + j < rows.count; ++j) {
        std::byte* const row = strips.row + j * rows.stride;
        if (!Load && strips.whole) *reinterpret_cast<uint4*>(row + strips.at) = vectors[i][j];
        ONEFOLD_ROLLED
        for (int at = strips.whole ? rows.bytes : max(strips.at, 0);
             at < min(strips.at + 16, rows.bytes); at += size) {
          auto* const item = reinterpret_cast<T*>(row + at);
          auto& bits = tile.item(place(at) + j * unsigned(size));
          Load ? bits = *item : * item = bits;
        }
      }
    }
  }
}

/// Copies long rows, as many strips at once as are alike: as far from a multiple of 16 bytes.
template <bool Load, class T>
ONEFOLD_DEVICE void copy_long_rows(const any_rows& rows, const any_memory<T>& tile) {
  if constexpr (sizeof(T) == 1) {
    const auto base = unsigned(reinterpret_cast<std::uintptr_t>(rows.base));
    const bool alike = rows.stride % 16 == 0 || rows.count == 1;
    const bool words = alike && (tile.origin | (rows.count < 4 ? base : tile.pitch)) % 4 == 0;
    if (words && rows.count == 2) return copy_rows<Load, 2>(rows, tile, tile);
    if (words && rows.count == 3) return copy_rows<Load, 3>(rows, tile, tile);
    if (Load ? words && rows.count > 3 : alike) return copy_rows<Load, 4>(rows, tile, tile);
  }
  copy_rows<Load, 1>(rows, tile, tile);
}

/// A block's part of a matrix whose rows are a slab on one side; on the other, columns are long
/// rows.
template <class T>
ONEFOLD_DEVICE void copy_by_slab(const matrix_copy& copy, bool gather, const any_tile& shape,
                                 std::uint32_t* words) {
  const std::int64_t row = std::int64_t(blockIdx.x) * shape.high;
  const auto high = int(min(std::int64_t(shape.high), copy.rows - row));
  std::byte* const from = const_cast<std::byte*>(copy.from) + row * copy.from_row;
  std::byte* const to = copy.to + row * copy.to_row;
  const auto origin = unsigned(reinterpret_cast<std::uintptr_t>(gather ? from : to) % 16);
  constexpr unsigned swizzle = sizeof(T) == 8 ? 30 : 31;
  const any_memory<T> tile = {words, swizzle, shape.pitch, origin};
  const any_memory<T> run = {words, swizzle, sizeof(T), origin};
  const any_memory<std::uint32_t> vectors = {words, swizzle, 4, origin};
  const int bytes = high * int(shape.pitch), of_row = high * int(sizeof(T));
  const unsigned end = max(origin + unsigned(bytes), 16u);
  const any_rows slab = {gather ? from : to, 0, 1, bytes, shape.by_wide};
  const any_rows rows = {gather ? to : from, gather ? copy.to_column : copy.from_column,
                         unsigned(copy.columns), of_row, shape.by_high};
  if (gather) {
    // Words of which the slab has a part are read.
    if (threadIdx.x < 8) tile.word(4 * (threadIdx.x % 4) + (threadIdx.x < 4 ? 0 : end)) = 0;
    __syncthreads();
    copy_rows<true, 1>(slab, run, vectors);
    __syncthreads();
    copy_long_rows<false>(rows, tile);
  } else {
    copy_long_rows<true>(rows, tile);
    __syncthreads();
    copy_rows<false, 1>(slab, run, vectors);
  }
}

template <class T>
ONEFOLD_DEVICE void copy_by_elements(const matrix_copy& copy, const any_tile& shape, unsigned down,
                                     std::uint32_t* words) {
  const any_memory<T> tile = {words, 0, shape.pitch, 0};
  const std::int64_t top = std::int64_t(blockIdx.x % down) * shape.high;
  const std::int64_t left = std::int64_t(blockIdx.x / down) * shape.wide;
  const auto each = [&](bool along_rows, auto take) {
    ONEFOLD_UNROLL_BY_4
    for (unsigned k = threadIdx.x; k < shape.wide * shape.high; k += any_threads) {
      const unsigned line = (along_rows ? shape.by_high : shape.by_wide).quotient(k);
      const unsigned place = k - line * (along_rows ? shape.high : shape.wide);
      const unsigned row = along_rows ? place : line, column = along_rows ? line : place;
      if (top + row < copy.rows && left + column < copy.columns)
        take(top + row, left + column, row * shape.pitch + column * unsigned(sizeof(T)));
    }
  };
  each(false, [&](std::int64_t row, std::int64_t column, unsigned at) {
    tile.item(at) =
        load_raw<T>(copy.from + row * copy.from_row + column * copy.from_column, shape.aligned);
  });
  __syncthreads();
  each(shape.along_rows, [&](std::int64_t row, std::int64_t column, unsigned at) {
    store_raw<T>(copy.to + row * copy.to_row + column * copy.to_column, tile.item(at),
                 shape.aligned);
  });
}

/// Shape:  elements as wide as T, any strides; any_threads lanes, shape.shared_bytes; a block for
///         each tile, down the columns of tiles. Of slabs all elements are aligned.
/// Error:  none: elements keep their bits; nothing else is written, and nothing else read.
/// Order:  none.
template <class T>
__global__ void __launch_bounds__(any_threads, 9)
    copy_any(const matrix_copy copy, const transpose_way way, const any_tile shape,
             const unsigned down) {
  ONEFOLD_DYNAMIC_SHARED(std::uint32_t, words);
  if (way == transpose_way::elements)
    copy_by_elements<T>(copy, shape, down, words);
  else
    copy_by_slab<T>(copy, way == transpose_way::gather, shape, words);
}

inline auto any_kernel_of(std::int64_t item) {
  return item == 1   ? copy_any<std::uint8_t>
         : item == 2 ? copy_any<std::uint16_t>
         : item == 4 ? copy_any<std::uint32_t>
                     : copy_any<std::uint64_t>;
}

}  // namespace onefold::cuda
