// SPDX-License-Identifier: Apache-2.0
// The transpose against its definition: all small sizes, any strides, big odd shapes; and not a
// byte around the output is written.
#include "onefold/transpose.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "support/each_target.hpp"
#include "support/random.hpp"

namespace onefold::test {
namespace {

constexpr dtype of_size[] = {dtype::u8, dtype::i16, dtype::f32, dtype::u64};

/// A matrix in memory of random bytes: extents, strides in bytes, and where element [0][0] lies.
struct matrix {
  std::int64_t rows, columns, row_stride, column_stride, item;
  std::vector<std::byte> memory;
  std::int64_t origin = 0;

  matrix(random_source& random, std::int64_t r, std::int64_t c, std::int64_t by_row,
         std::int64_t by_column, std::int64_t size, std::int64_t guard)
      : rows(r), columns(c), row_stride(by_row), column_stride(by_column), item(size),
        origin(guard) {
    std::int64_t reach = 2 * guard + item;
    for (const auto span : {(rows - 1) * row_stride, (columns - 1) * column_stride}) {
      if (rows == 0 || columns == 0) continue;
      if (span < 0) origin -= span;
      reach += std::abs(span);
    }
    memory.resize(std::size_t(reach));
    for (auto& byte : memory) byte = std::byte(random() >> 40);
  }
  axis_list axes() const { return {{rows, row_stride}, {columns, column_stride}}; }
  std::byte* at(std::int64_t r, std::int64_t c) {
    return memory.data() + origin + r * row_stride + c * column_stride;
  }
};

// out[c][r] = in[r][c], and all other bytes of the output's memory as they were.
std::vector<std::byte> expected(matrix& in, matrix& out) {
  const auto before = out.memory;
  for (std::int64_t r = 0; r < in.rows; ++r)
    for (std::int64_t c = 0; c < in.columns; ++c)
      std::memcpy(out.at(c, r), in.at(r, c), std::size_t(in.item));
  auto after = out.memory;
  out.memory = before;
  return after;
}

dtype type_of(std::int64_t item) {
  return of_size[item == 1 ? 0 : item == 2 ? 1 : item == 4 ? 2 : 3];
}

void expect_turned(matrix& in, matrix& out, int threads) {
  const auto right = expected(in, out);
  const auto done =
      transpose(executor::cpu{threads}, array_view(in.at(0, 0), type_of(in.item), in.axes()),
                out.at(0, 0), out.axes());
  ASSERT_TRUE(done.ok()) << done.message();
  ASSERT_TRUE(out.memory == right)
      << in.rows << " x " << in.columns << " of " << in.item << " bytes, strides " << in.row_stride
      << " " << in.column_stride << " to " << out.row_stride << " " << out.column_stride << ", "
      << threads << " threads, ONEFOLD_TEST_SEED=" << seed();
}

void expect_turned(random_source& random, std::int64_t rows, std::int64_t columns,
                   std::int64_t item, int threads) {
  const auto guard = std::int64_t(random.below(80)) + 1;
  matrix in(random, rows, columns, columns * item, item, item, guard);
  matrix out(random, columns, rows, rows * item, item, item, 64 + guard);
  expect_turned(in, out, threads);
}

TEST(transpose, of_every_small_size_is_its_definition_on_every_target) {
  on_each_target([](const std::string& target) {
    SCOPED_TRACE(target);
    for (std::int64_t item : {1, 2, 4, 8})
      for (std::int64_t rows = 0; rows <= 70; ++rows)
        for (std::int64_t columns = 0; columns <= 70; ++columns) {
          const auto index = std::uint64_t(71 * rows + columns);
          if (!is_taken(index)) continue;
          random_source random = source_of(900 + std::uint64_t(item), index);
          expect_turned(random, rows, columns, item, 1);
        }
  });
}

// Sizes from which threads share the work and stores pass the caches; aligned and not.
TEST(transpose, of_big_shapes_is_its_definition_on_every_target) {
  struct shape {
    std::int64_t rows, columns, item;
  };
  on_each_target([](const std::string& target) {
    SCOPED_TRACE(target);
    std::uint64_t index = 0;
    for (const shape s : {shape{2048, 2112, 1},
                          {2179, 2053, 1},
                          {5000, 900, 1},
                          {700, 6300, 1},
                          {1409, 1601, 2},
                          {1472, 1504, 2},
                          {1030, 1027, 4},
                          {1024, 1040, 4},
                          {701, 803, 8},
                          {520, 1040, 8},
                          {3, 700001, 8},
                          {700001, 3, 8},
                          {4500003, 1, 1},
                          {33, 131075, 1}})
      for (int threads : {1, 3}) {
        random_source random = source_of(910, index);
        if (!is_taken(index++)) continue;
        expect_turned(random, s.rows, s.columns, s.item, threads);
      }
  });
}

std::int64_t any_stride(random_source& random, std::int64_t least) {
  const std::int64_t stride = least + (random.one_in(2) ? 0 : std::int64_t(random.below(70)));
  return random.one_in(2) ? stride : -stride;
}

TEST(transpose, of_any_strides_is_its_definition) {
  on_each_target([](const std::string& target) {
    SCOPED_TRACE(target);
    for (std::uint64_t k = 0; k < std::uint64_t(cases(1500, 200)); ++k) {
      random_source random = source_of(920, k);
      const std::int64_t item = std::int64_t(1) << random.below(4);
      const bool big = random.one_in(100);
      const std::int64_t rows = random.between(1, big ? 900 : 150),
                         columns = random.between(1, big ? 900 : 150);
      const bool by_rows = random.one_in(2), out_by_rows = random.one_in(2);
      const auto inner = any_stride(random, item), out_inner = any_stride(random, item);
      const auto outer = any_stride(random, std::abs(inner) * (by_rows ? columns : rows) + item);
      const auto out_outer =
          any_stride(random, std::abs(out_inner) * (out_by_rows ? rows : columns) + item);
      matrix in(random, rows, columns, by_rows ? outer : inner, by_rows ? inner : outer, item, 9);
      matrix out(random, columns, rows, out_by_rows ? out_outer : out_inner,
                 out_by_rows ? out_inner : out_outer, item, 70);
      if (random.one_in(5)) in.row_stride = 0;  // a row that is repeated
      expect_turned(in, out, random.between(1, 3));
    }
  });
}

TEST(transpose, of_a_span_is_contiguous) {
  const std::vector<float> in = {1, 2, 3, 4, 5, 6};
  std::vector<float> out(6);
  ASSERT_TRUE(transpose<float>({}, in, 2, out));
  EXPECT_EQ(out, (std::vector<float>{1, 4, 2, 5, 3, 6}));
  EXPECT_EQ(transpose<float>({}, in, 4, out).code(), status_code::mismatch);
  EXPECT_EQ(transpose<float>({}, in, 0, out).code(), status_code::mismatch);
  EXPECT_EQ(transpose<float>({}, in, -2, out).code(), status_code::mismatch);
  out.resize(5);
  EXPECT_EQ(transpose<float>({}, in, 2, out).code(), status_code::mismatch);
  EXPECT_TRUE(transpose<float>({}, {}, 0, {}));
}

status turned(const void* in, const axis_list& axes, void* out, const axis_list& out_axes) {
  return transpose({}, array_view(in, dtype::u8, axes), out, out_axes);
}

TEST(transpose, refuses_what_is_no_transpose) {
  std::vector<std::uint8_t> bytes(200, 7);
  std::uint8_t* const in = bytes.data();
  std::uint8_t* const out = in + 100;
  EXPECT_TRUE(turned(in, {{4, 25}, {25, 1}}, out, {{25, 4}, {4, 1}}));
  for (const auto& done : {
           turned(in, {{4, 25}, {25, 1}}, out, {{4, 25}, {25, 1}}),         // extents not swapped
           turned(in, {{4, 25}}, out, {{4, 1}}),                            // rank 1
           turned(in, {{1, 9}, {4, 25}, {25, 1}}, out, {{25, 4}, {4, 1}}),  // rank 3
           turned(in, {{4, 25}, {25, 1}}, in + 99, {{25, 4}, {4, 1}}),      // one byte in common
           turned(in, {{4, 25}, {25, 1}}, in, {{25, 4}, {4, 1}}),           // in place
           turned(out, {{4, -25}, {25, 1}}, out - 60, {{25, 4}, {4, 1}}),   // read backwards
           turned(in, {{4, 25}, {25, 1}}, out, {{25, 0}, {4, 1}}),          // every row in one
           turned(in, {{4, 25}, {25, 1}}, out, {{25, 3}, {4, 1}}),          // rows overlap
       }) {
    EXPECT_EQ(done.code(), status_code::mismatch) << done.message();
    EXPECT_FALSE(done.message().empty());
  }
  EXPECT_EQ(bytes, std::vector<std::uint8_t>(200, 7));
  EXPECT_TRUE(turned(in, {{0, 25}, {25, 1}}, in, {{25, 0}, {0, 1}}));  // nothing overlaps nothing
}

}  // namespace
}  // namespace onefold::test
