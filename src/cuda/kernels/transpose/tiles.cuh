// SPDX-License-Identifier: Apache-2.0
#pragma once
// Rows to columns: matrices whose rows are contiguous on both sides.
//
// A block turns one tile of 8 to 64 KiB, at least 128 bytes wide in both matrices. A lane loads
// 16 bytes of as many rows as make a word of a column, turns them and stores words in shared
// memory, which holds the tile as the output has it: a row for each column. There the units of 16
// bytes of a row are permuted by an exclusive or with the number of the column's vector, so that
// the words of the eight vectors of a request lie in eight units and no bank is asked for twice;
// eight lanes that read a row read eight units.

#include "cuda/kernels/transpose/shapes.hpp"
#include "cuda/primitives/load.cuh"
#include "cuda/primitives/pieces.cuh"
#include "request/matrix_copy.hpp"

namespace onefold::cuda {

struct turn_tile {
  std::int64_t row, column;  ///< the first ones
};

template <class Shape>
ONEFOLD_DEVICE turn_tile tile_of(const turn_grid& grid, unsigned block) {
  const unsigned panel = block / (grid.panel * grid.down), first = panel * grid.panel;
  const unsigned width = min(grid.panel, grid.across - first);
  const unsigned within = block - first * grid.down;
  return {std::int64_t(within / width) * Shape::step,
          (std::int64_t(first) + within % width) * Shape::columns};
}

/// `count` bytes, at most 16, and zeros.
ONEFOLD_DEVICE uint4 load_bytes(const std::byte* from, std::int64_t count) {
  std::uint32_t words[4] = {0, 0, 0, 0};
  ONEFOLD_UNROLL
  for (int i = 0; i < 16; ++i)
    if (i < count) words[i / 4] |= std::uint32_t(from[i]) << 8 * (i % 4);
  return make_uint4(words[0], words[1], words[2], words[3]);
}

/// 16 of 32 bytes, from byte `first` on. Precondition: first < 16.
ONEFOLD_DEVICE uint4 shifted(const uint4& low, const uint4& high, unsigned first) {
  std::uint32_t words[8] = {low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w};
  ONEFOLD_UNROLL
  for (int i = 0; i < 6; ++i) words[i] = first & 8 ? words[i + 2] : words[i];
  ONEFOLD_UNROLL
  for (int i = 0; i < 5; ++i) words[i] = first & 4 ? words[i + 1] : words[i];
  const unsigned select = 0x3210 + 0x1111 * (first % 4);
  return make_uint4(
      __byte_perm(words[0], words[1], select), __byte_perm(words[1], words[2], select),
      __byte_perm(words[2], words[3], select), __byte_perm(words[3], words[4], select));
}

/// What a load brings to L2 of 1 and 2 bytes: what the tiles next to this one begin with. Measured
/// on an H200: of wider elements that costs 2 %.
template <int Item>
inline constexpr int bytes_to_l2 = Item == 1   ? 128
                                   : Item == 2 ? 256
                                               : 0;

/// 16 bytes at any address, by the vectors that they lie in; `past`: bytes of these before them.
/// Neighbours load the same vectors: L1 has them.
template <int Item>
ONEFOLD_DEVICE uint4 load_shifted(const std::byte* from, unsigned past) {
  const auto* const at = reinterpret_cast<const uint4*>(from - past);
  return shifted(load_near<bytes_to_l2<Item>>(at), load_near<bytes_to_l2<Item>>(at + 1), past);
}

/// The 16 bytes that begin `at` bytes after the first of a row of `size`. Whole: they and the
/// vectors that they are in are the row's. Else bytes past the row are zeros and not read.
template <int Item, bool Aligned, bool Whole>
ONEFOLD_DEVICE uint4 load_of_row(const std::byte* row, std::int64_t at, std::int64_t size) {
  const std::byte* const from = row + at;
  if constexpr (Aligned) {
    if (Whole || at + 16 <= size) return load_piece(from);
  } else {
    const auto past = unsigned(reinterpret_cast<std::uintptr_t>(from) % 16);
    if (Whole || (at >= past && at + 32 - past <= size)) return load_shifted<Item>(from, past);
  }
  return load_bytes(from, size - at);
}

template <int Item, bool Aligned>
ONEFOLD_DEVICE bool is_whole(const matrix_copy& copy, const turn_tile& at) {
  using shape = turn_shape<Item, Aligned>;
  constexpr int margin = Aligned ? 0 : shape::vector;
  return at.row + shape::rows <= copy.rows && (Aligned || at.column > 0) &&
         at.column + shape::columns + margin <= copy.columns;
}

/// Where the turned tile holds byte `at` of the row that is column `column`.
template <class Shape>
ONEFOLD_DEVICE unsigned turned_place(unsigned column, unsigned at) {
  return column * (Shape::units * 16) + ((at / 16 ^ column / Shape::vector % 8) * 16 + at % 16);
}

template <class Shape>
ONEFOLD_DEVICE uint4 turned_vector(const std::byte* tile, unsigned column, unsigned unit) {
  return *reinterpret_cast<const uint4*>(tile + turned_place<Shape>(column, unit * 16));
}

/// Turns a square of 4 x 4 bytes: byte j of word i becomes byte i of word j.
ONEFOLD_DEVICE void turn_square(std::uint32_t (&words)[4]) {
  const std::uint32_t low01 = __byte_perm(words[0], words[1], 0x5140);
  const std::uint32_t low23 = __byte_perm(words[2], words[3], 0x5140);
  const std::uint32_t high01 = __byte_perm(words[0], words[1], 0x7362);
  const std::uint32_t high23 = __byte_perm(words[2], words[3], 0x7362);
  words[0] = __byte_perm(low01, low23, 0x5410);
  words[1] = __byte_perm(low01, low23, 0x7632);
  words[2] = __byte_perm(high01, high23, 0x5410);
  words[3] = __byte_perm(high01, high23, 0x7632);
}

/// Word I of the vectors of a group, which are words of as many columns; `to` is the place of the
/// group in the first column of the vectors.
template <int Item, int I, unsigned Step>
ONEFOLD_DEVICE void put_words(const uint4 (&v)[std::max(4 / Item, 1)], std::byte* to) {
  const auto put = [to](unsigned column, std::uint32_t word) {
    *reinterpret_cast<std::uint32_t*>(to + column * Step) = word;
  };
  if constexpr (Item == 1) {
    std::uint32_t words[4] = {word_of<I>(v[0]), word_of<I>(v[1]), word_of<I>(v[2]),
                              word_of<I>(v[3])};
    turn_square(words);
    ONEFOLD_UNROLL
    for (unsigned j = 0; j < 4; ++j) put(4 * I + j, words[j]);
  } else if constexpr (Item == 2) {
    put(2 * I, __byte_perm(word_of<I>(v[0]), word_of<I>(v[1]), 0x5410));
    put(2 * I + 1, __byte_perm(word_of<I>(v[0]), word_of<I>(v[1]), 0x7632));
  } else if constexpr (Item == 4) {
    put(I, word_of<I>(v[0]));
  } else if constexpr (I < 2) {
    *reinterpret_cast<std::uint64_t*>(to + I * Step) =
        std::uint64_t(word_of<2 * I + 1>(v[0])) << 32 | word_of<2 * I>(v[0]);
  }
}

/// Loads a tile and leaves it turned in shared memory.
template <int Item, bool Aligned, bool Whole>
ONEFOLD_DEVICE void load_tile(const matrix_copy& copy, const turn_tile& at, std::byte* tile) {
  using shape = turn_shape<Item, Aligned>;
  constexpr unsigned halves = shape::across / 8, step = shape::units * 16;
  const unsigned warp = threadIdx.x / 32;
  const std::int64_t size = copy.columns * Item;
  uint4 loaded[shape::pieces][shape::group];
  unsigned vector[shape::pieces], group[shape::pieces];
  ONEFOLD_UNROLL
  for (unsigned i = 0; i < shape::pieces; ++i) {
    const unsigned index = warp + i * (shape::threads / 32);
    vector[i] = threadIdx.x % 8 + 8 * (index % halves);
    group[i] = threadIdx.x / 8 % 4 + 4 * (index / halves);
    const std::int64_t first = at.column * Item + vector[i] * 16;
    ONEFOLD_UNROLL
    for (unsigned j = 0; j < shape::group; ++j) {
      const std::int64_t row = at.row + group[i] * shape::group + j;
      loaded[i][j] =
          Whole || (row < copy.rows && first < size)
              ? load_of_row<Item, Aligned, Whole>(copy.from + row * copy.from_row, first, size)
              : make_uint4(0, 0, 0, 0);
    }
  }
  ONEFOLD_UNROLL
  for (unsigned i = 0; i < shape::pieces; ++i) {
    std::byte* const to =
        tile + turned_place<shape>(vector[i] * shape::vector, group[i] * shape::word);
    put_words<Item, 0, step>(loaded[i], to);
    put_words<Item, 1, step>(loaded[i], to);
    put_words<Item, 2, step>(loaded[i], to);
    put_words<Item, 3, step>(loaded[i], to);
  }
}

/// The first `count` bytes, at most 16, of a vector.
ONEFOLD_DEVICE void store_bytes(std::byte* to, const uint4& v, std::int64_t count) {
  const std::uint32_t words[4] = {v.x, v.y, v.z, v.w};
  ONEFOLD_UNROLL
  for (int i = 0; i < 16; ++i)
    if (i < count) to[i] = std::byte(words[i / 4] >> 8 * (i % 4));
}

/// As many bytes of a vector as `left` after the first, at a multiple of 16 bytes. Last: nothing
/// more comes to their sectors, so that they may leave L2.
template <bool Last>
ONEFOLD_DEVICE void store_left(std::byte* to, const uint4& v, std::int64_t left) {
  if (left >= 16)
    Last ? store_piece(to, v) : void(*reinterpret_cast<uint4*>(to) = v);
  else if (left > 0)
    store_bytes(to, v, left);
}

/// Rows of the output whose vectors are aligned.
template <int Item>
ONEFOLD_DEVICE void store_vectors(const matrix_copy& copy, const turn_tile& at,
                                  const std::byte* tile) {
  using shape = turn_shape<Item, true>;
  ONEFOLD_UNROLL
  for (unsigned i = 0; i < shape::bytes / 16 / shape::threads; ++i) {
    const unsigned index = threadIdx.x + i * shape::threads;
    const unsigned column = index / shape::units, unit = index % shape::units;
    if (at.column + column >= copy.columns) continue;
    std::byte* const row = copy.to + (at.column + column) * copy.to_column + at.row * Item;
    store_left<true>(row + unit * 16, turned_vector<shape>(tile, column, unit),
                     (copy.rows - at.row) * Item - unit * 16);
  }
}

/// Rows of the output that begin anywhere, by whole vectors. A tile ends a window after the first
/// row of the next: of each column it writes what is between the first multiples of a window in
/// both, and the first tile also what is before.
template <int Item>
ONEFOLD_DEVICE void store_windows(const matrix_copy& copy, const turn_tile& at,
                                  const std::byte* tile) {
  using shape = turn_shape<Item, false>;
  constexpr int own = int(shape::units - shape::window / 16);  // vectors of a column
  const std::int64_t size = (copy.rows - at.row) * Item;
  ONEFOLD_UNROLL
  for (unsigned i = 0; i < shape::bytes / 16 / shape::threads; ++i) {
    const unsigned index = threadIdx.x + i * shape::threads, column = index / shape::units;
    const int unit = int(index % shape::units);
    if (at.column + column >= copy.columns || (unit >= own && at.row > 0)) continue;
    std::byte* const row = copy.to + (at.column + column) * copy.to_column + at.row * Item;
    const auto first = int(-reinterpret_cast<std::uintptr_t>(row) % shape::window);
    const int begin = first + 16 * (unit < own ? unit : own - 1 - unit);
    if (begin >= 0)
      store_left<false>(row + begin,
                        shifted(turned_vector<shape>(tile, column, unsigned(begin) / 16),
                                turned_vector<shape>(tile, column, unsigned(begin) / 16 + 1),
                                unsigned(begin) % 16),
                        size - begin);
    else if (begin > -16)
      store_bytes(row, turned_vector<shape>(tile, column, 0), begin + 16);
  }
}

/// Shape:  copy.from_column == copy.to_row == Item; Aligned: both matrices begin at a multiple of
///         16 bytes, and so does each row. turn_shape::threads lanes; a block for each tile of the
///         grid.
/// Error:  none: elements keep their bits; nothing else is written, and nothing else read.
/// Order:  none.
template <int Item, bool Aligned>
__global__ void __launch_bounds__(turn_shape<Item, Aligned>::threads)
    turn_matrix(const matrix_copy copy, const turn_grid grid) {
  ONEFOLD_DYNAMIC_SHARED(std::byte, bytes);
  const turn_tile at = tile_of<turn_shape<Item, Aligned>>(grid, blockIdx.x);
  if (is_whole<Item, Aligned>(copy, at))
    load_tile<Item, Aligned, true>(copy, at, bytes);
  else
    load_tile<Item, Aligned, false>(copy, at, bytes);
  __syncthreads();
  if constexpr (Aligned)
    store_vectors<Item>(copy, at, bytes);
  else
    store_windows<Item>(copy, at, bytes);
}

template <bool Aligned>
auto turn_kernel_of(std::int64_t item) {
  return item == 1   ? turn_matrix<1, Aligned>
         : item == 2 ? turn_matrix<2, Aligned>
         : item == 4 ? turn_matrix<4, Aligned>
                     : turn_matrix<8, Aligned>;
}

}  // namespace onefold::cuda
