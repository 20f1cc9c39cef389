// SPDX-License-Identifier: Apache-2.0
// Fast blocks are their documented trees, and blocks of integers are exact.
#include <gtest/gtest.h>

#include "cpu/batched_suite.hpp"
#include "cpu/kernels/targets.hpp"
#include "support/fast_model.hpp"

namespace onefold::test {
namespace {

__extension__ typedef __int128 int128;

constexpr std::int64_t sizes[] = {1, 2, 3, 4, 7, 8, 9, 16, 17, 32, 33, 63, 64, 65, 130, 300};

template <class T>
using accumulator_of = typename fast_model<T>::accumulator;

// Groups of 16 rows are summed in order, and the groups are added in order.
template <class T>
accumulator_of<T> column_model(const std::vector<T>& x) {
  accumulator_of<T> sum = accumulator_of<T>(-0.0);
  for (std::size_t i = 0; i < x.size(); i += 16) {
    accumulator_of<T> group = accumulator_of<T>(-0.0);
    for (std::size_t k = i; k < i + 16 && k < x.size(); ++k) group += widened(x[k]);
    sum += group;
  }
  return sum;
}

template <class T>
bits_of<T> converted(accumulator_of<T> value) {
  oracle<accumulator_of<T>> one;
  one.add(&value, 1);
  return one.template value<T>();
}

template <class T>
void expect_rows(const ragged<T>& all, const batched_result& got, bool columns,
                 const std::string& context) {
  EXPECT_EQ(got.reported, 0) << context;
  for (std::int64_t k = 0; k < all.rows(); ++k) {
    const std::vector<T> row(all.x.begin() + all.offsets[k], all.x.begin() + all.offsets[k + 1]);
    const auto expected = columns ? column_model(row) : fast_model<T>::sum(row);
    EXPECT_EQ(hex(output<T>(got, k)), hex(converted<T>(expected))) << context << ", output " << k;
  }
}

template <class T>
void fill(random_source& random, std::vector<T>& x) {
  const int spread = random.one_in(8) ? ieee<T>::bias : random.between(0, 12);
  for (T& element : x)
    element = random.one_in(30) ? make<T>(true, -ieee<T>::bias, 0)
                                : any_of_exponent<T>(random, random.between(-spread, spread));
}

template <class T>
ragged<T> make_rows(random_source& random, std::int64_t rows, std::int64_t n) {
  ragged<T> all;
  all.x.resize(std::size_t(rows * n));
  fill(random, all.x), all.y = all.x;
  for (std::int64_t k = 1; k <= rows; ++k) all.offsets.push_back(k * n);
  return all;
}

template <class T>
std::vector<T> turned(const std::vector<T>& x, std::int64_t rows, std::int64_t n) {
  std::vector<T> columns(x.size());
  for (std::int64_t k = 0; k < rows; ++k)
    for (std::int64_t i = 0; i < n; ++i) columns[i * rows + k] = x[k * n + i];
  return columns;
}

template <class T>
void try_fast() {
  const cpu::batched_request request = {cpu::batched_shape::rows, op::sum, accuracy::fast,
                                        dtype_of<T>, dtype_of<T>};
  std::uint64_t index = 0;
  for (std::int64_t n : sizes) {
    random_source random = source_of(1200 + sizeof(T), index++);
    const std::int64_t rows = 1 + std::int64_t(random.below(50));
    auto all = make_rows<T>(random, rows, n);
    const auto columns = turned(all.x, rows, n);
    for (const auto* table : cpu::tables()) {
      const auto context = "ONEFOLD_TEST_SEED=" + std::to_string(seed()) + ", " +
                           std::string(table->target) + ", n " + std::to_string(n);
      expect_rows(all, run(table->batched, rows_of(all.x, all.y, rows, n, 0, request)), false,
                  context);
      auto block = rows_of(columns, columns, rows, rows, 0, request);
      block.request.shape = cpu::batched_shape::columns, block.n = block.count = n;
      expect_rows(all, run(table->batched, block), true, context + ", columns");
      auto cut = all;
      cut.offsets = {0};
      random_source again = source_of(1300 + sizeof(T), index);
      while (cut.offsets.back() < rows * n)
        cut.offsets.push_back(std::min<std::int64_t>(
            rows * n, cut.offsets.back() + std::int64_t(again.below(std::uint64_t(2 * n + 1)))));
      expect_rows(cut, run(table->batched, segments_of(cut, request)), false,
                  context + ", segments");
    }
  }
}

TEST(batched_fast_sums, of_binary32_in_blocks_are_the_documented_tree) {
  try_fast<float>();
}
TEST(batched_fast_sums, of_binary64_in_blocks_are_the_documented_tree) {
  try_fast<double>();
}
TEST(batched_fast_sums, of_binary16_and_bfloat16_in_blocks_are_the_documented_tree) {
  try_fast<f16>();
  try_fast<bf16>();
}
TEST(batched_fast_sums, of_rows_of_several_chunks_are_the_documented_tree) {
  random_source random = source_of(1400, 0);
  for (std::int64_t n : {65536, 65537, 65536 * 3 + 77}) {
    const auto all = make_rows<float>(random, 2, n);
    const cpu::batched_request request = {cpu::batched_shape::rows, op::sum, accuracy::fast};
    for (const auto* table : cpu::tables())
      expect_rows(all, run(table->batched, rows_of(all.x, all.y, 2, n, 0, request)), false,
                  std::string(table->target));
  }
}

template <class T>
int128 total_of_integers(op op, const T* x, const T* y, std::int64_t n) {
  int128 sum = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    const int128 a = x[i], b = y[i];
    if (op == op::dot)
      sum += a * b;
    else if (op == op::sumsq || op == op::norm2)
      sum += a * a;
    else
      sum += op == op::norm1 && a < 0 ? -a : a;
  }
  return sum;
}

mpz_class as_mpz(int128 value) {
  const bool minus = value < 0;
  const auto magnitude = minus ? -value : value;
  mpz_class whole = mpz_class(std::to_string(std::uint64_t(magnitude >> 64)));
  whole = (whole << 64) + mpz_class(std::to_string(std::uint64_t(magnitude)));
  return minus ? mpz_class(-whole) : whole;
}

template <class Out>
void expect_integer(op op, int128 sum, std::int64_t n, const batched_result& got, std::int64_t k,
                    const std::string& where) {
  const bool ambiguous = got.ambiguous[std::size_t(k)] != 0;
  if constexpr (std::is_integral_v<Out>) {
    Out value;
    std::memcpy(&value, got.out.data() + k * std::int64_t(sizeof value), sizeof value);
    EXPECT_EQ(ambiguous, sum != int128(Out(sum))) << where;
    if (!ambiguous) {
      EXPECT_EQ(value, Out(sum)) << where;
    }
  } else {
    exact_total exact;
    exact.total = as_mpz(sum), exact.count = n, exact.only_minus_zeros = false;
    const bool quotient = op == op::mean || op == op::norm2;
    if (!quotient || (sum < int128(1) << 50 && -sum < int128(1) << 50 && sizeof(Out) == 8)) {
      EXPECT_FALSE(ambiguous) << where;
    }
    if (!ambiguous) {
      EXPECT_EQ(hex(output<Out>(got, k)), hex(answer<Out>(op, exact))) << where;
    }
  }
}

template <class T, class Out>
void try_integers(op op) {
  const cpu::batched_request request = {cpu::batched_shape::rows, op, accuracy::exact, dtype_of<T>,
                                        dtype_of<Out>};
  if (!cpu::batched_serves(request)) return;
  for (std::int64_t n : sizes) {
    random_source random = source_of(1500 + sizeof(T), std::uint64_t(n));
    const std::int64_t rows = 1 + std::int64_t(random.below(40));
    std::vector<T> x(std::size_t(rows * n)), y(x.size());
    const bool largest = random.one_in(2);
    for (T& e : x) e = largest ? std::numeric_limits<T>::max() : T(random());
    for (T& e : y) e = largest ? std::numeric_limits<T>::min() : T(random());
    if (largest && random.one_in(2)) std::swap(x, y);
    const auto columns = turned(x, rows, n), y_columns = turned(y, rows, n);
    for (const auto* table : cpu::tables()) {
      auto block = rows_of(columns, y_columns, rows, rows, 0, request);
      block.request.shape = cpu::batched_shape::columns, block.n = block.count = n;
      const auto by_rows = run(table->batched, rows_of(x, y, rows, n, 0, request));
      const auto by_columns = run(table->batched, block);
      for (std::int64_t k = 0; k < rows; ++k) {
        const auto where = "ONEFOLD_TEST_SEED=" + std::to_string(seed()) + ", " +
                           std::string(table->target) + ", " + std::string(name(op)) + " of " +
                           std::string(name(dtype_of<T>)) + ", n " + std::to_string(n) +
                           ", output " + std::to_string(k);
        const int128 sum = total_of_integers(op, x.data() + k * n, y.data() + k * n, n);
        expect_integer<Out>(op, sum, n, by_rows, k, where);
        expect_integer<Out>(op, sum, n, by_columns, k, where + ", columns");
      }
    }
  }
}

template <class T>
void try_integer_type() {
  for (op op : {op::sum, op::mean, op::norm1, op::sumsq, op::norm2, op::dot}) {
    try_integers<T, std::int64_t>(op);
    try_integers<T, std::uint64_t>(op);
    try_integers<T, double>(op);
    try_integers<T, float>(op);
  }
}

TEST(batched_integers, of_eight_and_sixteen_bits_are_exact) {
  try_integer_type<std::int8_t>();
  try_integer_type<std::uint8_t>();
  try_integer_type<std::int16_t>();
  try_integer_type<std::uint16_t>();
}
TEST(batched_integers, of_thirty_two_and_sixty_four_bits_are_exact) {
  try_integer_type<std::int32_t>();
  try_integer_type<std::uint32_t>();
  try_integer_type<std::int64_t>();
  try_integer_type<std::uint64_t>();
}

// More columns than a tile of sums holds: 4096 of bytes, 1024 of words.
template <class T>
void try_wide_columns(op op) {
  constexpr std::int64_t columns = 2 * 4096 + 37, rows = 19;
  random_source random = source_of(1600 + sizeof(T), std::uint64_t(op));
  std::vector<T> x(std::size_t(columns * rows));
  for (T& element : x) element = T(random());
  const auto by_column = turned(x, rows, columns);
  const cpu::batched_request request = {cpu::batched_shape::columns, op, accuracy::exact,
                                        dtype_of<T>, dtype::i64};
  for (const auto* table : cpu::tables()) {
    auto block = rows_of(x, x, columns, columns, 0, request);
    block.request.shape = cpu::batched_shape::columns, block.n = block.count = rows;
    const auto got = run(table->batched, block);
    for (std::int64_t k = 0; k < columns; ++k) {
      const T* const column = by_column.data() + k * rows;
      const int128 sum = total_of_integers(op, column, column, rows);
      expect_integer<std::int64_t>(op, sum, rows, got, k,
                                   "ONEFOLD_TEST_SEED=" + std::to_string(seed()) + ", " +
                                       std::string(table->target) + ", column " +
                                       std::to_string(k));
    }
  }
}

TEST(batched_integers, in_columns_of_several_tiles_are_exact) {
  for (const op op : {op::sum, op::sumsq}) {
    try_wide_columns<std::uint8_t>(op);
    try_wide_columns<std::int16_t>(op);
    try_wide_columns<std::uint32_t>(op);
  }
}

TEST(batched_integers, of_bool_bytes_count_once_whatever_they_hold) {
  const std::vector<std::uint8_t> x = {0, 1, 2, 255, 0, 128, 0, 0, 7};
  cpu::batched_request request = {cpu::batched_shape::rows, op::sum, accuracy::exact,
                                  dtype::boolean, dtype::i64};
  for (const auto* table : cpu::tables()) {
    const auto got = run(table->batched, rows_of(x, x, 3, 3, 0, request));
    std::int64_t sums[3];
    std::memcpy(sums, got.out.data(), sizeof sums);
    EXPECT_EQ(sums[0], 2) << table->target;
    EXPECT_EQ(sums[1], 2) << table->target;
    EXPECT_EQ(sums[2], 1) << table->target;
  }
}

}  // namespace
}  // namespace onefold::test
