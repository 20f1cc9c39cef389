// SPDX-License-Identifier: Apache-2.0
// Copies of matrices under the executor: out[c][r] = in[r][c], no other byte is read or written,
// nothing is reported, and shared memory has no conflicts where rows become columns.
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "cuda/kernels/transpose/kernels.hpp"
#include "simt/device.hpp"
#include "support/random.hpp"

namespace onefold::cuda::test {
namespace {

using onefold::test::random_source;
using onefold::test::seed;
using onefold::test::source_of;

constexpr std::int64_t guard = 40;

/// Extents, strides in bytes, and bytes between a multiple of 256 and the lowest element.
struct layout {
  std::int64_t rows, columns, by_row, by_column, offset;

  std::int64_t origin() const {
    const auto below = [](std::int64_t n, std::int64_t step) {
      return step < 0 ? (n - 1) * -step : 0;
    };
    return offset + below(rows, by_row) + below(columns, by_column);
  }
  std::size_t bytes(std::int64_t item) const {
    return std::size_t(offset + (rows - 1) * std::llabs(by_row) +
                       (columns - 1) * std::llabs(by_column) + item + guard);
  }
  std::int64_t at(std::int64_t r, std::int64_t c) const {
    return origin() + r * by_row + c * by_column;
  }
};

std::string text_of(const layout& in, const layout& out, std::int64_t item) {
  const auto words = [](const layout& one) {
    return std::to_string(one.rows) + " x " + std::to_string(one.columns) + " by " +
           std::to_string(one.by_row) + ", " + std::to_string(one.by_column) + " at " +
           std::to_string(one.offset);
  };
  return words(in) + " to " + words(out) + ", " + std::to_string(item) +
         " bytes, ONEFOLD_TEST_SEED=" + std::to_string(seed());
}

// Only the elements hold values: a read between rows is reported.
std::byte* input_of(simt::device& gpu, const layout& layout, std::int64_t item,
                    random_source& random) {
  auto* const memory = gpu.memory().allocate<std::byte>(layout.bytes(item), "in");
  for (std::int64_t r = 0; r < layout.rows; ++r)
    for (std::int64_t c = 0; c < layout.columns; ++c) {
      std::byte* const at = memory + layout.at(r, c);
      for (std::int64_t i = 0; i < item; ++i) at[i] = std::byte(random() >> 40);
      gpu.memory().mark_written(gpu.memory().offset_of(at), std::size_t(item));
    }
  return memory;
}

struct outcome {
  transpose_way way;
  std::uint64_t conflicts = 0, requests = 0;
};

/// What becomes of the output's bytes, which are `before`.
std::vector<std::byte> expected(std::vector<std::byte> before, const std::byte* from,
                                const layout& in, const layout& out, std::int64_t item) {
  for (std::int64_t r = 0; r < in.rows; ++r)
    for (std::int64_t c = 0; c < in.columns; ++c)
      std::memcpy(before.data() + out.at(c, r), from + in.at(r, c), std::size_t(item));
  return before;
}

outcome expect_turned(const layout& in, const layout& out, std::int64_t item,
                      random_source& random) {
  simt::device gpu;
  const std::byte* const from = input_of(gpu, in, item, random);
  std::vector<std::byte> before(out.bytes(item));
  for (auto& byte : before) byte = std::byte(random() >> 40);
  std::byte* const to = gpu.memory().copy(std::span<const std::byte>(before), "out");
  const matrix_copy copy = {from + in.origin(), to + out.origin(), in.rows,
                            in.columns,         in.by_row,         in.by_column,
                            out.by_column,      out.by_row,        item};
  const transpose_launch launch = transpose_launch_of(copy);
  const auto order = random.one_in(2) ? simt::schedule::shuffled : simt::schedule::reverse;
  launch_transpose(gpu, launch, order);
  const std::string where = text_of(in, out, item);
  for (const auto& finding : gpu.report()) ADD_FAILURE() << where << ": " << finding.text();
  EXPECT_TRUE(std::vector<std::byte>(to, to + before.size()) ==
              expected(before, from, in, out, item))
      << where;
  const auto counts = gpu.counts();
  return {launch.way, counts.shared_conflicts(),
          counts.shared_load.requests + counts.shared_store.requests};
}

struct tile_sides {
  std::int64_t rows, columns;
};

template <bool Vectors>
tile_sides sides_of(std::int64_t item) {
  const turn_block block = turn_block_of(unsigned(item), Vectors);
  return {block.rows, block.columns};
}

constexpr std::int64_t up_to_16(std::int64_t bytes) {
  return (bytes + 15) / 16 * 16;
}

TEST(cuda_transposes, lanes_share_a_tile_evenly) {
  for (const unsigned item : {1, 2, 4, 8})
    for (const bool vectors : {false, true}) {
      const turn_block block = turn_block_of(item, vectors);
      EXPECT_EQ(block.across % 8, 0u) << item;
      EXPECT_EQ(block.units % 8, 0u) << item;
      EXPECT_EQ(block.pieces * block.group * block.threads * 16, block.bytes) << item;
    }
}

// Sides just below, at and above those of tiles, with and without room behind rows.
TEST(cuda_transposes, aligned_rows_go_by_vectors_without_conflicts) {
  for (const std::int64_t item : {1, 2, 4, 8}) {
    const tile_sides tile = sides_of<true>(item);
    const std::int64_t least = 64 / item;
    for (const std::int64_t more_rows : {std::int64_t(0), std::int64_t(1), 16 / item, least + 1})
      for (const std::int64_t more_columns : {std::int64_t(0), std::int64_t(1), least + 1}) {
        random_source random =
            source_of(700 + std::uint64_t(item), std::uint64_t(1000 * more_rows + more_columns));
        const std::int64_t rows = (random.one_in(2) ? tile.rows : 0) + least + more_rows;
        const std::int64_t columns = (random.one_in(2) ? tile.columns : 0) + least + more_columns;
        const std::int64_t gap = 16 * std::int64_t(1 + random.below(3));
        const layout in = {rows, columns, up_to_16(columns * item) + gap, item, gap};
        const layout out = {columns, rows, up_to_16(rows * item) + gap, item, 16};
        const outcome by_vectors = expect_turned(in, out, item, random);
        EXPECT_EQ(by_vectors.way, transpose_way::vectors);
        EXPECT_GT(by_vectors.requests, 0u);
        // The end of a row that is no whole vector goes byte by byte.
        if (rows * item % 16 == 0) {
          EXPECT_EQ(by_vectors.conflicts, 0u) << text_of(in, out, item);
        }
      }
  }
}

TEST(cuda_transposes, rows_at_any_address_go_by_words) {
  for (const std::int64_t item : {1, 2, 4, 8})
    for (std::uint64_t k = 0; k < 16; ++k) {
      random_source random = source_of(710 + std::uint64_t(item), k);
      const tile_sides tile = sides_of<false>(item);
      const auto side = [&](std::int64_t most) {
        return 64 / item + std::int64_t(random.below(std::uint64_t(most + 70)));
      };
      const std::int64_t rows = side(tile.rows), columns = side(tile.columns);
      const auto gap = [&] { return std::int64_t(1 + random.below(19)); };
      layout in = {rows, columns, columns * item + gap(), item, 1 + 4 * gap()};
      layout out = {columns, rows, rows * item + gap(), item, 1 + gap()};
      if (k % 4 == 0) in.by_row = up_to_16(in.by_row), in.offset = 32;
      if (k % 4 == 1) out.by_row = up_to_16(out.by_row), out.offset = 0;
      if (k % 4 == 0) out.offset |= 1;
      EXPECT_EQ(expect_turned(in, out, item, random).way, transpose_way::words);
    }
}

// Conflicts: the ends of columns, which go byte by byte.
TEST(cuda_transposes, many_tiles_at_any_address_have_few_conflicts) {
  for (const std::int64_t item : {1, 2, 4, 8}) {
    random_source random = source_of(715, std::uint64_t(item));
    const tile_sides tile = sides_of<false>(item);
    const std::int64_t rows = 6 * tile.rows + 3, columns = 2 * tile.columns + 5;
    const layout in = {rows, columns, columns * item + item, item, item},
                 out = {columns, rows, rows * item + 3 * item, item, 0};
    const outcome by_words = expect_turned(in, out, item, random);
    EXPECT_EQ(by_words.way, transpose_way::words);
    EXPECT_LE(by_words.conflicts, by_words.requests / 3) << text_of(in, out, item);
  }
}

TEST(cuda_transposes, panels_cover_wide_and_high_grids) {
  for (const auto& [rows, columns] : {std::pair(70, 20 * 128 + 3), std::pair(3 * 128, 17 * 128 + 1),
                                      std::pair(17 * 128 + 5, 65)}) {
    random_source random = source_of(720, std::uint64_t(rows));
    const layout in = {rows, columns, columns, 1, 3}, out = {columns, rows, rows, 1, 0};
    expect_turned(in, out, 1, random);
  }
}

// Lengths around those of slabs, long rows that begin anywhere, and rows with room behind them.
TEST(cuda_transposes, few_columns_or_rows_go_by_slabs) {
  for (const std::int64_t item : {1, 2, 4, 8})
    for (const std::int64_t few : {1, 2, 3, 4, 5, 7, 12, 16, 63, 127, 128}) {
      if (few * item > 128) continue;
      const std::int64_t share = (few > 32 ? 16384 : 8192) / (few * item) / 64 * 64;
      for (const std::int64_t least : {std::int64_t(64), share - 1, share, 2 * share + 3}) {
        const std::int64_t many = std::max(least, few + 1);
        random_source random =
            source_of(730 + std::uint64_t(item), std::uint64_t(100 * many + few));
        const auto room = [&] { return item * std::int64_t(random.below(9)); };
        const layout narrow = {many, few, few * item, item, room()};
        const std::int64_t row = many * item + room();
        const layout wide = {few, many, random.one_in(2) ? up_to_16(row) : row, item, room()};
        EXPECT_EQ(expect_turned(narrow, wide, item, random).way, transpose_way::gather);
        EXPECT_EQ(expect_turned(wide, narrow, item, random).way, transpose_way::scatter);
      }
    }
}

TEST(cuda_transposes, slabs_of_a_power_of_two_have_few_conflicts) {
  for (const std::int64_t item : {1, 2, 4, 8})
    for (const std::int64_t few : {1, 2, 4, 8, 16, 32}) {
      if (few * item > 128) continue;
      random_source random = source_of(731 + std::uint64_t(item), std::uint64_t(few));
      const layout narrow = {4096, few, few * item, item, 0},
                   wide = {few, 4096, 4096 * item, item, 0};
      for (const auto& [in, out] : {std::pair(narrow, wide), std::pair(wide, narrow)}) {
        const outcome by_slabs = expect_turned(in, out, item, random);
        EXPECT_LE(2 * by_slabs.conflicts, 3 * by_slabs.requests) << few << " of " << item;
      }
    }
}

TEST(cuda_transposes, few_columns_or_rows_with_room_between_go_by_items) {
  for (const std::int64_t item : {1, 2, 4, 8})
    for (const std::int64_t few : {2, 3, 5, 7}) {
      random_source random = source_of(732 + std::uint64_t(item), std::uint64_t(few));
      const std::int64_t many = random.between(64, 6000);
      const layout narrow = {many, few, (few + 1) * item, item, 16};
      const layout wide = {few, many, many * item, item, item};
      EXPECT_EQ(expect_turned(narrow, wide, item, random).way, transpose_way::elements);
      EXPECT_EQ(expect_turned(wide, narrow, item, random).way, transpose_way::elements);
    }
}

// Elements two apart on one side: a tile of 64 x 64 that is walked along its columns.
TEST(cuda_transposes, whole_tiles_of_items_have_no_conflicts) {
  for (const std::int64_t item : {2, 4, 8}) {
    random_source random = source_of(735, std::uint64_t(item));
    const layout in = {64, 128, 2 * 128 * item, 2 * item, 0}, out = {128, 64, 64 * item, item, 0};
    const outcome by_items = expect_turned(in, out, item, random);
    EXPECT_EQ(by_items.way, transpose_way::elements);
    EXPECT_EQ(by_items.conflicts, 0u) << item;
  }
}

// Addresses alone: nothing is read.
transpose_launch launch_of(const layout& in, const layout& out, std::int64_t item) {
  const auto at = [](std::int64_t address) { return reinterpret_cast<std::byte*>(address); };
  return transpose_launch_of({at(4096 + in.offset), at(1 << 20), in.rows, in.columns, in.by_row,
                              in.by_column, out.by_column, out.by_row, item});
}

TEST(cuda_transposes, every_side_must_be_aligned_for_vectors) {
  const layout in = {100, 100, 400, 4, 0}, out = in;
  EXPECT_EQ(launch_of(in, out, 4).way, transpose_way::vectors);
  for (const layout& other : {layout{100, 100, 404, 4, 0}, layout{100, 100, 400, 4, 4}})
    EXPECT_EQ(launch_of(other, out, 4).way, transpose_way::words);
  EXPECT_EQ(launch_of(in, {100, 100, 404, 4, 0}, 4).way, transpose_way::words);
}

TEST(cuda_transposes, slabs_want_aligned_elements) {
  const layout narrow = {100, 3, 12, 4, 0}, wide = {3, 100, 400, 4, 0};
  EXPECT_EQ(launch_of(narrow, wide, 4).way, transpose_way::gather);
  EXPECT_EQ(launch_of(wide, narrow, 4).way, transpose_way::scatter);
  for (const std::int64_t offset : {1, 2, 3}) {
    EXPECT_EQ(launch_of({100, 3, 12, 4, offset}, wide, 4).way, transpose_way::elements);
    EXPECT_EQ(launch_of({3, 100, 400, 4, offset}, narrow, 4).way, transpose_way::elements);
  }
  EXPECT_EQ(launch_of(narrow, {3, 100, 402, 4, 0}, 4).way, transpose_way::elements);
}

TEST(cuda_transposes, lanes_walk_along_the_nearer_axes) {
  const layout near_columns = {100, 100, 2000, 8, 0}, near_rows = {100, 100, 8, 2000, 0};
  for (const layout& in : {near_columns, near_rows})
    for (const layout& out : {near_columns, near_rows}) {
      const transpose_launch made = launch_of(in, out, 4);
      EXPECT_EQ(made.way, transpose_way::elements);
      EXPECT_EQ(made.copy.from_column, 8);
      EXPECT_EQ(made.tile.along_rows, made.copy.to_row == 8);
      EXPECT_TRUE(made.tile.aligned);
    }
  layout odd = near_columns;
  EXPECT_FALSE(launch_of({100, 100, 2001, 8, 0}, near_rows, 4).tile.aligned);
  EXPECT_FALSE(launch_of({100, 100, 2000, 9, 0}, near_rows, 4).tile.aligned);
  EXPECT_FALSE(launch_of(near_rows, {100, 100, 2000, 9, 0}, 4).tile.aligned);
  odd.offset = 2;
  EXPECT_FALSE(launch_of(odd, near_rows, 4).tile.aligned);
}

std::int64_t any_stride(random_source& random, std::int64_t least) {
  const std::int64_t stride = least + (random.one_in(2) ? 0 : std::int64_t(random.below(70)));
  return random.one_in(2) ? stride : -stride;
}

TEST(cuda_transposes, any_strides) {
  int ways[int(transpose_way::elements) + 1] = {};
  for (std::uint64_t k = 0; k < 150; ++k) {
    random_source random = source_of(740, k);
    const std::int64_t item = std::int64_t(1) << random.below(4);
    const std::int64_t rows = random.between(1, 150), columns = random.between(1, 150);
    const bool by_rows = random.one_in(2), out_by_rows = random.one_in(2);
    const auto inner = any_stride(random, item), out_inner = any_stride(random, item);
    const auto outer = any_stride(random, std::llabs(inner) * (by_rows ? columns : rows) + item);
    const auto out_outer =
        any_stride(random, std::llabs(out_inner) * (out_by_rows ? rows : columns) + item);
    layout in = {rows, columns, by_rows ? outer : inner, by_rows ? inner : outer,
                 std::int64_t(random.below(20))};
    const layout out = {columns, rows, out_by_rows ? out_outer : out_inner,
                        out_by_rows ? out_inner : out_outer, std::int64_t(random.below(20))};
    if (random.one_in(5)) in.by_row = 0;  // a row that is repeated
    ++ways[int(expect_turned(in, out, item, random).way)];
  }
  EXPECT_GT(ways[int(transpose_way::words)], 0);
  EXPECT_GT(ways[int(transpose_way::elements)], 0);
}

}  // namespace
}  // namespace onefold::cuda::test
