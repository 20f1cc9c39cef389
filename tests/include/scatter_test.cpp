// SPDX-License-Identifier: Apache-2.0
// scatter_rows and segment_rows on the CPU give the bits of exact sums of lists of rows, for every
// family, type of keys, role of initial elements and order of the rows, and refuse what does not
// fit.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

#include "onefold/scatter.hpp"
#include "support/elements.hpp"
#include "support/families.hpp"
#include "support/scatter_model.hpp"

namespace onefold::test {
namespace {

template <class T>
array_view rows_of(const T* x, std::int64_t rows, std::int64_t n, std::int64_t stride) {
  constexpr auto item = std::int64_t(sizeof(T));
  return {x, dtype_of<T>, {{rows, stride * item}, {n, item}}};
}
template <class T>
array_view one_axis(const std::vector<T>& x) {
  return {x.data(), dtype_of<T>, {{std::int64_t(x.size()), std::int64_t(sizeof(T))}}};
}

/// Rows and keys, and what becomes of them.
template <class T>
struct scatter_case {
  std::int64_t rows, n, stride, answers;
  std::vector<T> x, initial{};
  std::vector<std::int64_t> keys{}, offsets{};  ///< offsets: none where there are keys
  op operation = op::sum;
  initial_role role = initial_role::element;

  scatter_options options() const {
    scatter_options made;
    made.role = role;
    if (!initial.empty()) made.initial = rows_of(initial.data(), answers, n, n);
    return made;
  }
  array_view view() const { return rows_of(x.data(), rows, n, stride); }

  std::vector<T> run(int threads, bool narrow_keys) const {
    std::vector<T> out(std::size_t(answers * n) + 1, make<T>(true, 2, 5));
    const executor on = executor::cpu{threads};
    status done;
    if (!offsets.empty()) {
      done = segment_rows(on, operation, view(), one_axis(offsets), out.data(), options());
    } else if (narrow_keys) {
      const std::vector<std::int32_t> narrow(keys.begin(), keys.end());
      done = scatter_rows(on, operation, view(), one_axis(narrow), out.data(), answers, options());
    } else {
      done = scatter_rows(on, operation, view(), one_axis(keys), out.data(), answers, options());
    }
    EXPECT_TRUE(done.ok()) << done.message();
    return out;
  }

  std::vector<T> wanted() const {
    row_scatter request = {};
    request.x = x.data(), request.rows = rows, request.n = n, request.stride = stride;
    request.keys = offsets.empty() ? keys.data() : nullptr, request.wide_keys = true;
    request.offsets = offsets.data(), request.answers = answers;
    request.initial = initial.empty() ? nullptr : initial.data(), request.initial_stride = n;
    request.is_mean = operation == op::mean;
    request.adds_initial = role != initial_role::fallback;
    request.counts_initial = role == initial_role::element;
    std::vector<T> out;
    for (std::int64_t k = 0; k < answers; ++k)
      for (std::int64_t column = 0; column < n; ++column)
        out.push_back(scattered<T>(request, k, column));
    out.push_back(make<T>(true, 2, 5));  // nothing is written past the end
    return out;
  }

  void expect_definition(int threads) const {
    const auto want = wanted();
    for (const bool narrow : {false, true}) {
      const auto got = run(threads, narrow);
      EXPECT_EQ(std::memcmp(got.data(), want.data(), got.size() * sizeof(T)), 0)
          << rows << " rows of " << n << " " << name(dtype_of<T>) << " into " << answers
          << ", ONEFOLD_TEST_SEED=" << seed();
    }
  }
};

template <class T>
scatter_case<T> any_case(random_source& random, const family<T>& family, std::int64_t rows,
                         std::int64_t n, std::int64_t answers) {
  scatter_case<T> made = {rows, n, n + std::int64_t(random.below(3)), answers, {}};
  made.x.resize(std::size_t(rows * made.stride) + 1);
  family.fill(random, made.x.data(), made.x.size());
  // Some answers have no rows.
  for (std::int64_t row = 0; row < rows; ++row)
    made.keys.push_back(std::int64_t(random.below(std::uint64_t(answers))) / 2 * 2);
  if (random.one_in(3)) std::sort(made.keys.begin(), made.keys.end());
  if (random.one_in(2)) {
    made.initial.resize(std::size_t(answers * n));
    family.fill(random, made.initial.data(), made.initial.size());
  }
  made.operation = random.one_in(2) ? op::sum : op::mean;
  made.role = initial_role(random.below(3));
  if (random.one_in(3)) {
    for (std::int64_t k = 0; k <= answers; ++k)
      made.offsets.push_back(std::int64_t(random.below(std::uint64_t(rows + 1))));
    std::sort(made.offsets.begin(), made.offsets.end());
  }
  return made;
}

template <class T>
class scatter_rows_of : public testing::Test {};
using element_types = testing::Types<f16, bf16, float, double>;
TYPED_TEST_SUITE(scatter_rows_of, element_types);

TYPED_TEST(scatter_rows_of, every_family_and_shape) {
  using T = TypeParam;
  std::uint64_t index = 0;
  for (const auto& family : families<T>())
    for (const std::int64_t n : {1, 2, 7, 64, 333}) {
      random_source random = source_of(1910, index++);
      SCOPED_TRACE(family.name);
      const std::int64_t rows = random.between(1, 70), answers = random.between(1, 12);
      any_case(random, family, rows, n, answers).expect_definition(1 + int(random.below(3)));
    }
}

// All elements of an answer are as likely to be ties as not.
TYPED_TEST(scatter_rows_of, ties_of_few_elements) {
  using T = TypeParam;
  random_source random = source_of(1911, 0);
  const family<T> near = {"near one",
                          [](random_source& from, T* x, std::size_t n) {
                            for (std::size_t i = 0; i < n; ++i)
                              x[i] = any_of_exponent<T>(from, int(from.below(3)));
                          },
                          {}};
  for (int i = 0; i < 40; ++i) any_case(random, near, 24, 50, 9).expect_definition(2);
}

// Answers whose rows are shared by all threads, in several strips of columns.
TYPED_TEST(scatter_rows_of, answers_of_many_rows) {
  using T = TypeParam;
  const auto all = families<T>();
  for (const std::int64_t n : {1, 2050}) {
    random_source random = source_of(1912, std::uint64_t(n));
    const std::int64_t rows = n == 1 ? (3 << 20) / std::int64_t(sizeof(T)) : 1200;
    auto made = any_case(random, all[random.below(all.size())], rows, n, 3);
    made.offsets.clear();
    made.expect_definition(4);
    EXPECT_EQ(made.run(1, false).size(), std::size_t(3 * n + 1));
  }
}

// In a table of all answers, or one of each thread where these have elements enough; of more
// ambiguous answers than have exact sums, in lists.
TYPED_TEST(scatter_rows_of, elements_one_by_one) {
  using T = TypeParam;
  const T infinite = as_float<T>(bits_of<T>(ieee<T>::infinity));
  std::uint64_t index = 0;
  for (const auto& family : families<T>())
    for (const std::int64_t answers : {3, 700, 2500}) {
      random_source random = source_of(1916, index++);
      SCOPED_TRACE(family.name);
      auto made = any_case(random, family, random.between(2500, 7000), 1, answers);
      made.offsets.clear();
      made.expect_definition(1 + int(random.below(4)));
      if (!random.one_in(4)) continue;
      for (std::int64_t row = 0; row < made.rows; ++row)
        if (random.one_in(2)) made.x[std::size_t(row * made.stride)] = infinite;
      made.expect_definition(3);
    }
}

TYPED_TEST(scatter_rows_of, any_order_has_the_same_bits) {
  using T = TypeParam;
  random_source random = source_of(1913, 0);
  for (const auto& family : families<T>()) {
    auto made = any_case(random, family, 90, 5, 4);
    made.offsets.clear(), made.stride = 5;
    made.x.resize(std::size_t(90) * 5);
    const auto want = made.run(2, false);
    std::vector<std::size_t> order(90);
    std::iota(order.begin(), order.end(), 0);
    shuffle(random, order.data(), order.size());
    auto shuffled = made;
    for (std::size_t i = 0; i < 90; ++i) {
      shuffled.keys[i] = made.keys[order[i]];
      std::copy_n(made.x.begin() + std::ptrdiff_t(order[i] * 5), 5,
                  shuffled.x.begin() + std::ptrdiff_t(i * 5));
    }
    const auto got = shuffled.run(1, true);
    EXPECT_EQ(std::memcmp(got.data(), want.data(), got.size() * sizeof(T)), 0)
        << family.name << ", ONEFOLD_TEST_SEED=" << seed();
  }
}

TYPED_TEST(scatter_rows_of, zeros_and_what_is_not_finite) {
  using T = TypeParam;
  using format = ieee<T>;
  const T minus_zero = as_float<T>(bits_of<T>(format::sign)),
          infinity = as_float<T>(bits_of<T>(format::infinity)),
          nan = as_float<T>(bits_of<T>(format::nan | format::sign)),
          largest = as_float<T>(bits_of<T>(format::infinity - 1)),
          least = as_float<T>(bits_of<T>(1)), one = make<T>(false, 0, 0);
  const std::vector<T> values = {minus_zero, T{}, infinity, negated(infinity), nan,
                                 largest,    one, least,    negated(one),      negated(largest)};
  random_source random = source_of(1914, 0);
  for (int i = 0; i < 300; ++i) {
    scatter_case<T> made = {6, 2, 2, 3, {}};
    for (int j = 0; j < 12; ++j) made.x.push_back(values[random.below(values.size())]);
    for (int j = 0; j < 6; ++j) made.keys.push_back(std::int64_t(random.below(3)));
    if (random.one_in(2))
      for (int j = 0; j < 6; ++j) made.initial.push_back(values[random.below(values.size())]);
    made.operation = random.one_in(2) ? op::sum : op::mean;
    made.role = initial_role(random.below(3));
    made.expect_definition(1);
  }
}

TYPED_TEST(scatter_rows_of, nothing) {
  using T = TypeParam;
  const scatter_options none;
  const std::vector<std::int64_t> keys, offsets = {0, 0, 0};
  std::vector<T> out(2, make<T>(true, 2, 5));
  const executor on = executor::cpu{};
  const array_view no_rows = rows_of<T>(nullptr, 0, 1, 1),
                   no_columns = rows_of<T>(nullptr, 0, 0, 0);
  ASSERT_TRUE(scatter_rows(on, op::sum, no_rows, one_axis(keys), out.data(), 2, none));
  for (const T x : out) EXPECT_EQ(as_bits(x), 0);
  ASSERT_TRUE(segment_rows(on, op::mean, no_rows, one_axis(offsets), out.data(), none));
  for (const T x : out) EXPECT_EQ(as_bits(x), ieee<T>::nan);
  EXPECT_TRUE(scatter_rows(on, op::sum, no_rows, one_axis(keys), nullptr, 0, none));
  EXPECT_TRUE(scatter_rows(on, op::sum, no_columns, one_axis(keys), nullptr, 2, none));
}

void expect_failure(const status& why, status_code code, const char* part) {
  EXPECT_EQ(why.code(), code);
  EXPECT_NE(why.message().find(part), std::string::npos) << why.message();
}

TEST(scatter_refusals, operators_types_keys_and_overlap_are_named) {
  std::vector<float> x(12), out(8), initial(8);
  std::vector<std::int64_t> keys = {0, 1, 1}, offsets = {0, 2, 3};
  const std::vector<std::int16_t> narrow(3);
  const executor on = executor::cpu{1};
  const array_view rows = rows_of(x.data(), 3, 4, 4);
  const auto refused = status_code::unsupported, mismatch = status_code::mismatch;
  const auto scatter = [&](op op, const array_view& given, const array_view& by, float* to,
                           std::int64_t answers = 2, const scatter_options& options = {}) {
    return scatter_rows(on, op, given, by, to, answers, options);
  };
  expect_failure(scatter(op::max, rows, one_axis(keys), out.data()), refused, "not max");
  expect_failure(
      scatter(op::sum, {x.data(), dtype::i32, {{3, 16}, {4, 4}}}, one_axis(keys), out.data()),
      refused, "of i32");
  expect_failure(scatter(op::sum, one_axis(x), one_axis(keys), out.data()), mismatch, "two axes");
  expect_failure(scatter(op::sum, rows, one_axis(narrow), out.data()), mismatch, "i64 or i32");
  expect_failure(scatter(op::sum, rows, {keys.data(), dtype::i64, {{3, 16}}}, out.data()), mismatch,
                 "not adjacent");
  expect_failure(scatter(op::sum, rows, array_view(keys.data(), dtype::i64, {{2, 8}}), out.data()),
                 mismatch, "2 keys for 3 rows");
  expect_failure(scatter(op::sum, rows, one_axis(keys), x.data() + 11), mismatch, "overlaps");
  expect_failure(scatter(op::sum, rows, one_axis(keys), reinterpret_cast<float*>(keys.data() + 2)),
                 mismatch, "overlaps");
  expect_failure(scatter(op::sum, rows, one_axis(keys), out.data(), -1), mismatch, "below zero");
  expect_failure(scatter(op::sum, rows, one_axis(keys), out.data(), 1), mismatch,
                 "key of row 1 is 1");
  keys[2] = -1;
  expect_failure(scatter(op::sum, rows, one_axis(keys), out.data()), mismatch, "row 2 is -1");
  keys[2] = 1;
  scatter_options options;
  options.initial = rows_of(initial.data(), 2, 3, 4);
  expect_failure(scatter(op::sum, rows, one_axis(keys), out.data(), 2, options), mismatch,
                 "not 2 rows of 4");
  options.initial = array_view(keys.data(), dtype::f16, {{2, 8}, {4, 2}});
  expect_failure(scatter(op::sum, rows, one_axis(keys), out.data(), 2, options), mismatch,
                 "are f16");
  options.initial = rows_of(out.data(), 2, 4, 4);
  expect_failure(scatter(op::sum, rows, one_axis(keys), out.data(), 2, options), mismatch,
                 "overlaps the initial");
  for (const std::vector<std::int64_t>& wrong :
       {std::vector<std::int64_t>{0, 2, 1}, {-1, 2, 3}, {0, 2, 4}})
    expect_failure(segment_rows(on, op::sum, rows, one_axis(wrong), out.data()), mismatch,
                   "offset");
  expect_failure(
      segment_rows(on, op::sum, rows, {offsets.data(), dtype::i64, {{0, 8}}}, out.data()), mismatch,
      "no offsets");
}

// Rows in reverse, and one row for all.
TEST(scatter_layouts, rows_at_any_distance) {
  const std::vector<float> x = {1, 2, 3, 5, 5, 9};
  const std::vector<std::int32_t> keys = {1, 0, 1};
  float out[4];
  ASSERT_TRUE(scatter_rows(executor::cpu{1}, op::sum, {x.data() + 4, dtype::f32, {{3, -8}, {2, 4}}},
                           one_axis(keys), out, 2));
  EXPECT_EQ(std::vector<float>(out, out + 4), (std::vector<float>{3, 5, 6, 11}));
  ASSERT_TRUE(scatter_rows(executor::cpu{1}, op::sum, {x.data(), dtype::f32, {{3, 0}, {2, 4}}},
                           one_axis(keys), out, 2));
  EXPECT_EQ(std::vector<float>(out, out + 4), (std::vector<float>{1, 2, 2, 4}));
}

}  // namespace
}  // namespace onefold::test
