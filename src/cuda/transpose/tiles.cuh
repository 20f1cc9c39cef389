// SPDX-License-Identifier: Apache-2.0
#pragma once
// Rows to columns: matrices whose rows are contiguous on both sides.
//
// A block turns one tile of 16 KiB, at least 128 bytes wide in both matrices. A lane loads 16 bytes
// of as many rows as make a word of a column, turns them in registers and stores words in shared
// memory, which holds the tile as the output has it: a row for each column. There the units of 16
// bytes of a row are permuted by an exclusive or with the number of the column's vector, so that
// the words of the eight vectors of a request lie in eight units and no bank is asked for twice;
// eight lanes that read a row read eight units.

#include "cuda/parts/load.cuh"
#include "cuda/transpose/shapes.hpp"
#include "view/matrix_copy.hpp"

namespace onefold::cuda {

struct turn_tile {
  std::int64_t row, column;  ///< the first ones
};

template <int Item>
ONEFOLD_DEVICE turn_tile tile_of(const turn_grid& grid, unsigned block) {
  using shape = turn_shape<Item>;
  const unsigned panel = block / (grid.panel * grid.down), first = panel * grid.panel;
  const unsigned width = min(grid.panel, grid.across - first);
  const unsigned within = block - first * grid.down;
  return {std::int64_t(within / width) * shape::rows,
          (std::int64_t(first) + within % width) * shape::columns};
}

/// `count` bytes, at most 16, and zeros.
ONEFOLD_DEVICE uint4 load_bytes(const std::byte* from, std::int64_t count) {
  std::uint32_t words[4] = {0, 0, 0, 0};
  ONEFOLD_UNROLL
  for (int i = 0; i < 16; ++i)
    if (i < count) words[i / 4] |= std::uint32_t(from[i]) << 8 * (i % 4);
  return make_uint4(words[0], words[1], words[2], words[3]);
}

/// 16 bytes at any address, by words; `past`: bytes of the first word before them.
ONEFOLD_DEVICE uint4 load_shifted(const std::byte* from, unsigned past) {
  const auto* const at = reinterpret_cast<const std::uint32_t*>(from - past);
  std::uint32_t words[5];
  ONEFOLD_UNROLL
  for (int i = 0; i < 5; ++i) words[i] = __ldg(at + i);
  const unsigned select = 0x3210 + 0x1111 * past;
  return make_uint4(
      __byte_perm(words[0], words[1], select), __byte_perm(words[1], words[2], select),
      __byte_perm(words[2], words[3], select), __byte_perm(words[3], words[4], select));
}

/// The 16 bytes that begin `at` bytes behind the first of a row of `size`. Whole: they and the
/// words that they lie in are the row's. Else bytes behind the row are zeros and not read.
template <bool Aligned, bool Whole>
ONEFOLD_DEVICE uint4 load_of_row(const std::byte* row, std::int64_t at, std::int64_t size) {
  const std::byte* const from = row + at;
  if constexpr (Aligned) {
    if (Whole || at + 16 <= size) return load_vector(from);
  } else {
    const auto past = unsigned(reinterpret_cast<std::uintptr_t>(from) % 4);
    if (Whole || (at >= 4 && at + 20 <= size)) return load_shifted(from, past);
  }
  return load_bytes(from, size - at);
}

template <int Item, bool Aligned>
ONEFOLD_DEVICE bool is_whole(const matrix_copy& copy, const turn_tile& at) {
  using shape = turn_shape<Item>;
  constexpr int margin = Aligned ? 0 : 4 / Item + 1;
  return at.row + shape::rows <= copy.rows && (Aligned || at.column > 0) &&
         at.column + shape::columns + margin <= copy.columns;
}

/// Where the turned tile holds byte `at` of the row that is column `column`.
template <int Item>
ONEFOLD_DEVICE unsigned turned_place(unsigned column, unsigned at) {
  using shape = turn_shape<Item>;
  return column * (shape::units * 16) + ((at / 16 ^ column / shape::vector % 8) * 16 + at % 16);
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
template <int Item, int I>
ONEFOLD_DEVICE void put_words(const uint4 (&v)[turn_shape<Item>::group], std::byte* to) {
  constexpr unsigned step = turn_shape<Item>::units * 16;  // from column to column
  const auto put = [to](unsigned column, std::uint32_t word) {
    *reinterpret_cast<std::uint32_t*>(to + column * step) = word;
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
    *reinterpret_cast<std::uint64_t*>(to + I * step) =
        std::uint64_t(word_of<2 * I + 1>(v[0])) << 32 | word_of<2 * I>(v[0]);
  }
}

/// Loads a tile and leaves it turned in shared memory.
template <int Item, bool Aligned, bool Whole>
ONEFOLD_DEVICE void load_tile(const matrix_copy& copy, const turn_tile& at, std::byte* tile) {
  using shape = turn_shape<Item>;
  constexpr unsigned halves = shape::across / 8;
  const unsigned warp = threadIdx.x / 32;
  const std::int64_t size = copy.columns * Item;
  uint4 loaded[shape::pieces][shape::group];
  unsigned vector[shape::pieces], group[shape::pieces];
  ONEFOLD_UNROLL
  for (unsigned i = 0; i < shape::pieces; ++i) {
    const unsigned index = warp + i * (turn_threads / 32);
    vector[i] = threadIdx.x % 8 + 8 * (index % halves);
    group[i] = threadIdx.x / 8 % 4 + 4 * (index / halves);
    const std::int64_t first = at.column * Item + vector[i] * 16;
    ONEFOLD_UNROLL
    for (unsigned j = 0; j < shape::group; ++j) {
      const std::int64_t row = at.row + group[i] * shape::group + j;
      loaded[i][j] = Whole || (row < copy.rows && first < size)
                         ? load_of_row<Aligned, Whole>(copy.from + row * copy.from_row, first, size)
                         : make_uint4(0, 0, 0, 0);
    }
  }
  ONEFOLD_UNROLL
  for (unsigned i = 0; i < shape::pieces; ++i) {
    std::byte* const to =
        tile + turned_place<Item>(vector[i] * shape::vector, group[i] * shape::word);
    put_words<Item, 0>(loaded[i], to);
    put_words<Item, 1>(loaded[i], to);
    put_words<Item, 2>(loaded[i], to);
    put_words<Item, 3>(loaded[i], to);
  }
}

/// The first `count` bytes, at most 16, of a vector.
ONEFOLD_DEVICE void store_bytes(std::byte* to, const uint4& v, std::int64_t count) {
  const std::uint32_t words[4] = {v.x, v.y, v.z, v.w};
  ONEFOLD_UNROLL
  for (int i = 0; i < 16; ++i)
    if (i < count) to[i] = std::byte(words[i / 4] >> 8 * (i % 4));
}

/// Rows of the output whose vectors are aligned.
template <int Item>
ONEFOLD_DEVICE void store_vectors(const matrix_copy& copy, const turn_tile& at,
                                  const std::byte* tile) {
  using shape = turn_shape<Item>;
  ONEFOLD_UNROLL
  for (unsigned i = 0; i < turn_tile_bytes / 16 / turn_threads; ++i) {
    const unsigned index = threadIdx.x + i * turn_threads;
    const unsigned column = index / shape::units, unit = index % shape::units;
    const std::int64_t left = (copy.rows - at.row) * Item - unit * 16;
    if (at.column + column >= copy.columns || left <= 0) continue;
    const uint4 v = *reinterpret_cast<const uint4*>(tile + turned_place<Item>(column, unit * 16));
    std::byte* const to =
        copy.to + (at.column + column) * copy.to_column + at.row * Item + unit * 16;
    if (left >= 16)
      *reinterpret_cast<uint4*>(to) = v;
    else
      store_bytes(to, v, left);
  }
}

/// Word `at` / 4 of the row of the turned tile that is column `column`, or the nearest one.
template <int Item>
ONEFOLD_DEVICE std::uint32_t turned_word(const std::byte* tile, unsigned column, int at) {
  constexpr int last = int(turn_shape<Item>::units) * 16 - 4;
  const auto place = unsigned(min(max(at, 0), last));
  return *reinterpret_cast<const std::uint32_t*>(tile + turned_place<Item>(column, place));
}

/// The bytes of a word that are those of a row of `size` bytes, of which the word holds `begin` and
/// on.
ONEFOLD_DEVICE void store_within(std::byte* row, int begin, int size, std::uint32_t word) {
  if (begin >= 0 && begin + 4 <= size) {
    *reinterpret_cast<std::uint32_t*>(row + begin) = word;
    return;
  }
  ONEFOLD_UNROLL
  for (int i = 0; i < 4; ++i)
    if (begin + i >= 0 && begin + i < size) row[begin + i] = std::byte(word >> 8 * i);
}

/// Rows of the output that begin anywhere: a warp writes whole words of one, each made of two words
/// of the tile, and bytes at its ends.
template <int Item>
ONEFOLD_DEVICE void store_words(const matrix_copy& copy, const turn_tile& at,
                                const std::byte* tile) {
  using shape = turn_shape<Item>;
  const int size = int(min(std::int64_t(shape::rows), copy.rows - at.row)) * Item;
  for (unsigned column = threadIdx.x / 32; column < shape::columns; column += turn_threads / 32) {
    if (at.column + column >= copy.columns) return;
    std::byte* const row = copy.to + (at.column + column) * copy.to_column + at.row * Item;
    const int past = int(reinterpret_cast<std::uintptr_t>(row) % 4);
    const unsigned select = 0x7654 - 0x1111 * unsigned(past);
    for (int base = 0; base < size + past; base += 128) {
      const int end = base + int(threadIdx.x % 32) * 4;
      const std::uint32_t before = turned_word<Item>(tile, column, end - 4);
      const std::uint32_t after = turned_word<Item>(tile, column, end);
      store_within(row, end - past, size, __byte_perm(before, after, select));
    }
  }
}

/// Shape:  copy.from_column == copy.to_row == Item; Aligned: both matrices begin at a multiple of
///         16 bytes, and so does each row. turn_threads lanes; a block for each tile of the grid.
/// Error:  none: elements keep their bits; nothing else is written, and nothing else read.
/// Order:  none.
template <int Item, bool Aligned>
__global__ void __launch_bounds__(turn_threads)
    turn_matrix(const matrix_copy copy, const turn_grid grid) {
  alignas(16) __shared__ std::uint64_t tile[turn_tile_bytes / sizeof(std::uint64_t)];
  auto* const bytes = reinterpret_cast<std::byte*>(tile);
  const turn_tile at = tile_of<Item>(grid, blockIdx.x);
  if (is_whole<Item, Aligned>(copy, at))
    load_tile<Item, Aligned, true>(copy, at, bytes);
  else
    load_tile<Item, Aligned, false>(copy, at, bytes);
  __syncthreads();
  if constexpr (Aligned)
    store_vectors<Item>(copy, at, bytes);
  else
    store_words<Item>(copy, at, bytes);
}

}  // namespace onefold::cuda
