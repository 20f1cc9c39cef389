// SPDX-License-Identifier: Apache-2.0
#pragma once
// Rows to columns: matrices whose rows are contiguous on both sides.
//
// A block turns one tile of 8 to 64 KiB, at least 128 bytes wide in both matrices. A lane loads 16
// bytes of as many rows as make a word of a column, turns them and stores words in shared memory,
// which holds the tile as the output has it: a row for each column. There the units of 16 bytes of
// a row are permuted by an exclusive or with the number of the column's vector: the words of the
// eight vectors of a request are in eight units, and so is what eight lanes read of a row.

#include "cuda/kernels/transpose/shapes.hpp"
#include "cuda/primitives/pieces.cuh"
#include "request/matrix_copy.hpp"

namespace onefold::cuda {

/// 16 bytes, `at` of a row of `size`, by the vectors that they are in: neighbours load the same,
/// which L1 has. Whole: these are the row's. Else bytes past the row are zeros and not read.
template <int Item, bool Aligned, bool Whole>
ONEFOLD_DEVICE uint4 load_of_row(const std::byte* row, std::int64_t at, std::int64_t size) {
  // What a load brings to L2; measured on an H200: of wider elements that costs 2 %.
  constexpr int bytes_to_l2 = Item == 1 ? 128 : Item == 2 ? 256 : 0;
  const std::byte* const from = row + at;
  if constexpr (Aligned) {
    if (Whole || at + 16 <= size) return load_piece(from);
  } else {
    const auto past = unsigned(reinterpret_cast<std::uintptr_t>(from) % 16);
    const auto* const vectors = reinterpret_cast<const uint4*>(from - past);
    if (Whole || (at >= past && at + 32 - past <= size))
      return shifted(load_near<bytes_to_l2>(vectors), load_near<bytes_to_l2>(vectors + 1), past);
  }
  std::uint32_t words[4] = {0, 0, 0, 0};
  ONEFOLD_UNROLL
  for (int i = 0; i < 16; ++i)
    if (at + i < size) words[i / 4] |= std::uint32_t(from[i]) << 8 * (i % 4);
  return make_uint4(words[0], words[1], words[2], words[3]);
}

/// Where the turned tile holds byte `at` of a column.
template <int Item, bool Aligned>
ONEFOLD_DEVICE unsigned turned_place(unsigned column, unsigned at) {
  constexpr turn_block shape = turn_shape<Item, Aligned>;
  return column * (shape.units * 16) + ((at / 16 ^ column / shape.vector % 8) * 16 + at % 16);
}

/// Puts word I of a group's vectors to its columns; the group's place in their first one is `to`.
template <int Item, int I, unsigned Step>
ONEFOLD_DEVICE void put_words(const uint4 (&v)[std::max(4 / Item, 1)], std::byte* to) {
  const auto put = [to](unsigned column, auto word) {
    *reinterpret_cast<decltype(word)*>(to + column * Step) = word;
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
    put(I, std::uint64_t(word_of<2 * I + 1>(v[0])) << 32 | word_of<2 * I>(v[0]));
  }
}

/// Loads a tile and leaves it turned in shared memory. Not Whole: checks of each load take 20 %.
template <int Item, bool Aligned, bool Whole>
ONEFOLD_DEVICE void load_tile(const matrix_copy& copy, std::int64_t top, std::int64_t left,
                              std::byte* tile) {
  constexpr turn_block shape = turn_shape<Item, Aligned>;
  constexpr unsigned halves = shape.across / 8, step = shape.units * 16;
  uint4 loaded[shape.pieces][shape.group];
  unsigned vector[shape.pieces], group[shape.pieces];
  ONEFOLD_UNROLL
  for (unsigned i = 0; i < shape.pieces; ++i) {
    const unsigned index = threadIdx.x / 32 + i * (shape.threads / 32);
    vector[i] = threadIdx.x % 8 + 8 * (index % halves);
    group[i] = threadIdx.x / 8 % 4 + 4 * (index / halves);
    const std::int64_t at = left * Item + vector[i] * 16, size = copy.columns * Item;
    ONEFOLD_UNROLL
    for (unsigned j = 0; j < shape.group; ++j) {
      const std::int64_t row = top + group[i] * shape.group + j;
      loaded[i][j] =
          Whole || (row < copy.rows && at < size)
              ? load_of_row<Item, Aligned, Whole>(copy.from + row * copy.from_row, at, size)
              : make_uint4(0, 0, 0, 0);
    }
  }
  ONEFOLD_UNROLL
  for (unsigned i = 0; i < shape.pieces; ++i) {
    std::byte* const to =
        tile + turned_place<Item, Aligned>(vector[i] * shape.vector, group[i] * shape.word);
    put_words<Item, 0, step>(loaded[i], to);
    put_words<Item, 1, step>(loaded[i], to);
    put_words<Item, 2, step>(loaded[i], to);
    put_words<Item, 3, step>(loaded[i], to);
  }
}

/// Stores vectors at multiples of 16 bytes. Not Aligned: tiles overlap by a vector, and of a column
/// each writes from its first multiple to that of the next, the first one also what is before.
template <int Item, bool Aligned>
ONEFOLD_DEVICE void store_tile(const matrix_copy& copy, std::int64_t top, std::int64_t left,
                               const std::byte* tile) {
  constexpr turn_block shape = turn_shape<Item, Aligned>;
  constexpr int own = int(shape.step / shape.vector);  // vectors of a column
  ONEFOLD_UNROLL
  for (unsigned i = 0; i < shape.bytes / 16 / shape.threads; ++i) {
    const unsigned index = threadIdx.x + i * shape.threads, column = index / shape.units;
    const int unit = int(index % shape.units);
    std::byte* const row = copy.to + (left + column) * copy.to_column + top * Item;
    const int first = Aligned ? 0 : int(-reinterpret_cast<std::uintptr_t>(row) % 16);
    const int at = first + 16 * (unit < own ? unit : own - 1 - unit);
    const std::int64_t size = (copy.rows - top) * Item;
    if (left + column >= copy.columns || at >= size || at <= (top > 0 ? -1 : -16)) continue;
    const auto vector = [&](int v) {
      return *reinterpret_cast<const uint4*>(tile +
                                             turned_place<Item, Aligned>(column, unsigned(v) * 16));
    };
    if (Aligned && at + 16 <= size) {
      store_piece(row + at, vector(unit));
    } else if (at >= 0 && at + 16 <= size) {
      *reinterpret_cast<uint4*>(row + at) =
          shifted(vector(at / 16), vector(at / 16 + 1), unsigned(at) % 16);
    } else {
      std::byte bytes[16];
      ONEFOLD_UNROLL
      for (int b = 0; b < 16; ++b)
        bytes[b] = tile[turned_place<Item, Aligned>(column, unsigned(max(at + b, 0)))];
      ONEFOLD_UNROLL
      for (int b = 0; b < 16; ++b)
        if (at + b >= 0 && at + b < size) row[at + b] = bytes[b];
    }
  }
}

/// Shape:  copy.from_column == copy.to_row == Item; Aligned: all rows begin at multiples of 16
///         bytes. turn_shape.threads lanes; a block for each tile, down the columns of tiles.
/// Error:  none: elements keep their bits; nothing else is written, and nothing else read.
/// Order:  none.
template <int Item, bool Aligned>
__global__ void __launch_bounds__(turn_shape<Item, Aligned>.threads,
                                  turn_shape<Item, Aligned>.blocks)
    turn_matrix(const matrix_copy copy, const unsigned down) {
  ONEFOLD_DYNAMIC_SHARED(std::byte, tile);
  constexpr turn_block shape = turn_shape<Item, Aligned>;
  const std::int64_t top = std::int64_t(blockIdx.x % down) * shape.step;
  const std::int64_t left = std::int64_t(blockIdx.x / down) * shape.columns;
  const unsigned margin = Aligned ? 0 : shape.vector;
  const bool whole = top + shape.rows <= copy.rows && left >= margin &&
                     left + shape.columns + margin <= copy.columns;
  whole ? load_tile<Item, Aligned, true>(copy, top, left, tile)
        : load_tile<Item, Aligned, false>(copy, top, left, tile);
  __syncthreads();
  store_tile<Item, Aligned>(copy, top, left, tile);
}

template <bool Aligned>
auto turn_kernel_of(std::int64_t item) {
  return item == 1   ? turn_matrix<1, Aligned>
         : item == 2 ? turn_matrix<2, Aligned>
         : item == 4 ? turn_matrix<4, Aligned>
                     : turn_matrix<8, Aligned>;
}

}  // namespace onefold::cuda
