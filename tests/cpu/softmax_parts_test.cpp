// SPDX-License-Identifier: Apache-2.0
// softmax_part and log_softmax_part: rows cut into parts, and the merged states of all parts, have
// the bits of the whole rows.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "onefold/normalize.hpp"
#include "onefold/reduce.hpp"
#include "support/each_target.hpp"
#include "support/elements.hpp"

namespace onefold::test {
namespace {

template <class T>
array_view rows_of(const T* x, std::int64_t rows, std::int64_t n, std::int64_t stride) {
  constexpr auto item = std::int64_t(sizeof(T));
  return {x, dtype_of<T>, {{rows, stride * item}, {n, item}}};
}

// Where the parts of a row begin, and its end.
std::vector<std::int64_t> cuts_of(std::int64_t n, int parts, random_source& random) {
  std::vector<std::int64_t> cuts = {0, n};
  while (int(cuts.size()) <= parts) cuts.push_back(std::int64_t(random.below(std::uint64_t(n))));
  std::sort(cuts.begin(), cuts.end());
  return cuts;
}

// The state of each row, merged from those of its parts, the last one first.
template <class T>
std::vector<state> states_of(const std::vector<T>& x, std::int64_t rows, std::int64_t n,
                             const std::vector<std::int64_t>& cuts) {
  std::vector<state> whole(std::size_t(rows), state(op::logsumexp, dtype_of<T>));
  options by_rows;
  by_rows.axes = axis(1);
  const auto merge = [&](std::int64_t row, const state& part) {
    whole[std::size_t(row)].merge(part);
  };
  for (std::size_t part = cuts.size() - 1; part > 0; --part) {
    const std::int64_t at = cuts[part - 1], count = cuts[part] - at;
    EXPECT_TRUE(partials(executor::cpu{1}, op::logsumexp, {rows_of(x.data() + at, rows, count, n)},
                         merge, by_rows));
  }
  return whole;
}

template <class T>
void expect_parts(const std::vector<T>& x, std::int64_t rows, std::int64_t n, int parts,
                  random_source& random) {
  const auto cuts = cuts_of(n, parts, random);
  const auto states = states_of(x, rows, n, cuts);
  for (const bool logarithm : {false, true}) {
    std::vector<T> wanted(x.size()), got(x.size());
    ASSERT_TRUE((logarithm ? log_softmax : softmax)(executor::cpu{1}, rows_of(x.data(), rows, n, n),
                                                    wanted.data(), {}));
    for (std::size_t part = 1; part < cuts.size(); ++part) {
      const std::int64_t at = cuts[part - 1], count = cuts[part] - at;
      std::vector<T> y(std::size_t(rows * count) + 1);
      const auto call = logarithm ? log_softmax_part : softmax_part;
      ASSERT_TRUE(
          call(executor::cpu{1}, rows_of(x.data() + at, rows, count, n), y.data(), states, {}));
      for (std::int64_t row = 0; row < rows; ++row)
        std::copy_n(y.data() + row * count, count, got.data() + row * n + at);
    }
    EXPECT_EQ(std::memcmp(got.data(), wanted.data(), got.size() * sizeof(T)), 0)
        << rows << " rows of " << n << " " << name(dtype_of<T>) << ", " << parts
        << " parts, logarithm " << logarithm << ", ONEFOLD_TEST_SEED=" << seed();
  }
}

template <class T>
class softmax_parts : public testing::Test {};
using narrow_types = testing::Types<f16, bf16, float>;
TYPED_TEST_SUITE(softmax_parts, narrow_types);

TYPED_TEST(softmax_parts, of_a_vocabulary_have_the_bits_of_the_row) {
  using T = TypeParam;
  random_source random = source_of(970, 0);
  for (const double peak : {3.0, 40.0}) {  // 40: one element has nearly all of the sum
    std::vector<T> x;
    for (int i = 0; i < 128'256; ++i) x.push_back(chopped<T>(2 * random.normal()));
    x[random.below(x.size())] = chopped<T>(peak);
    for (const int parts : {1, 2, 3, 8}) expect_parts(x, 1, 128'256, parts, random);
  }
}

// Parts of other bands than the row's, of masks only, of no elements.
TYPED_TEST(softmax_parts, of_rows_of_any_bands_have_the_bits_of_the_rows) {
  using T = TypeParam;
  const T mask = negated(as_float<T>(ieee<T>::infinity));
  for (std::uint64_t k = 0; k < 60; ++k) {
    random_source random = source_of(971, k);
    const std::int64_t rows = random.between(1, 5), n = random.between(1, 200);
    const double scales[] = {2, 200, 3000};
    std::vector<T> x;
    for (std::int64_t i = 0; i < rows * n; ++i)
      x.push_back(random.one_in(6) ? mask : chopped<T>(scales[k % 3] * random.normal()));
    if (k % 7 == 0) x[random.below(x.size())] = as_float<T>(ieee<T>::infinity);
    if (k % 5 == 0) std::fill_n(x.begin(), n, mask);
    on_each_target([&](const std::string& target) {
      SCOPED_TRACE(target);
      expect_parts(x, rows, n, random.between(1, 6), random);
    });
  }
}

TEST(softmax_parts_refusals, are_named) {
  const std::vector<float> x(12);
  std::vector<float> y(12);
  const executor on = executor::cpu{1};
  const auto rows = rows_of(x.data(), 3, 4, 4);
  const auto expect = [](const status& why, const char* part) {
    EXPECT_EQ(why.code(), status_code::mismatch);
    EXPECT_NE(why.message().find(part), std::string::npos) << why.message();
  };
  const std::vector<state> two(2, state(op::logsumexp, dtype::f32));
  expect(softmax_part(on, rows, y.data(), two), "2 states, 3 rows");
  const std::vector<state> sums(3, state(op::sum, dtype::f32));
  expect(log_softmax_part(on, rows, y.data(), sums), "not of sum of f32");
  const std::vector<state> halves(3, state(op::logsumexp, dtype::f16));
  expect(softmax_part(on, rows, y.data(), halves), "logsumexp of f32, not of logsumexp");
  // States of no elements, as of no others: NaN.
  const std::vector<state> none(3, state(op::logsumexp, dtype::f32));
  ASSERT_TRUE(softmax_part(on, rows, y.data(), none));
  EXPECT_NE(y[0], y[0]);
}

}  // namespace
}  // namespace onefold::test
