// SPDX-License-Identifier: Apache-2.0
// States without elements that were added before: the bytes of the states of the others.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "onefold/onefold.hpp"
#include "support/dot_oracle.hpp"
#include "support/elements.hpp"
#include "support/families.hpp"

namespace onefold::test {
namespace {

constexpr op linear[] = {op::sum,    op::mean, op::norm1, op::norm2, op::sumsq,        op::var,
                         op::stddev, op::any,  op::all,   op::count, op::count_nonzero};

template <class T>
state state_of(op op, const std::vector<T>& x) {
  if (op == op::dot) {
    const auto half = x.size() / 2;
    return partial(op, {array_view(x.data(), half), array_view(x.data() + half, half)});
  }
  return partial(op, x);
}

// What docs/specification.md excepts: -0 alone, of which the state had others.
template <class T>
bool leaves_only_negative_zeros(const std::vector<T>& x) {
  if constexpr (is_floating(dtype_of<T>)) {
    bool some = false;
    for (const T each : x) {
      if (is_nan_bits(each)) continue;
      if (as_bits(each) != ieee<T>::sign) return false;
      some = true;
    }
    return some;
  }
  return false;
}

template <class T>
void expect_difference(op op, const std::vector<T>& kept, const std::vector<T>& removed) {
  state all = state_of(op, kept);
  all.merge(state_of(op, removed));
  const state wanted = state_of(op, kept);
  const auto done = all.try_subtract(state_of(op, removed));
  ASSERT_TRUE(done.ok()) << name(op) << ": " << done.message();
  const bool excepted = leaves_only_negative_zeros(kept) && !leaves_only_negative_zeros(removed);
  if (!excepted ||
      !(accumulator_of(op) == accumulator::total || op == op::var || op == op::stddev)) {
    EXPECT_EQ(all.bytes(), wanted.bytes()) << name(op) << " of " << name(dtype_of<T>);
  }
}

template <class T>
std::vector<T> any_elements(random_source& random) {
  std::vector<T> x(random.below(12));
  if constexpr (is_floating(dtype_of<T>)) {
    families<T>()[random.below(families<T>().size())].fill(random, x.data(), x.size());
    const T some[] = {as_float<T>(ieee<T>::nan), as_float<T>(ieee<T>::infinity),
                      as_float<T>(bits_of<T>(ieee<T>::infinity | ieee<T>::sign)),
                      as_float<T>(ieee<T>::sign), as_float<T>(0)};
    const std::uint64_t kinds = random.below(6);
    for (T& each : x)
      if (kinds > 0 && random.one_in(2)) each = some[random.below(kinds)];
  } else {
    for (T& each : x) each = T(random());
  }
  return x;
}

template <class T>
void try_differences(std::uint64_t stream) {
  for (std::uint64_t k = 0; k < 400; ++k) {
    SCOPED_TRACE("ONEFOLD_TEST_SEED=" + std::to_string(seed()) + ", case " + std::to_string(k));
    random_source random = source_of(stream, k);
    const auto kept = any_elements<T>(random), removed = any_elements<T>(random);
    for (const op op : linear) expect_difference(op, kept, removed);
    if (testing::Test::HasFailure()) return;
  }
}

TEST(subtraction, leaves_the_bytes_of_the_other_elements) {
  try_differences<double>(1600), try_differences<float>(1601);
  try_differences<bf16>(1602), try_differences<f16>(1603);
  try_differences<std::int64_t>(1604), try_differences<std::uint64_t>(1605);
  try_differences<std::int8_t>(1606);
}

TEST(subtraction, of_dot_leaves_the_other_products) {
  for (std::uint64_t k = 0; k < 200; ++k) {
    random_source random = source_of(1610, k);
    std::vector<double> x(8), y(6);
    for (double& each : x) each = any_of_exponent<double>(random, random.between(-900, 900));
    for (double& each : y) each = any_of_exponent<double>(random, random.between(-900, 900));
    if (random.one_in(3)) y[0] = std::numeric_limits<double>::infinity(), y[3] = 0;
    expect_difference(op::dot, x, y);
  }
  const std::vector<std::int64_t> x = {INT64_MIN, 5, INT64_MIN, -7}, y = {1, INT64_MAX, 1, -9};
  expect_difference(op::dot, x, y), expect_difference(op::dot, y, x);
}

// A window slides over numbers whose plain running sum would keep every error.
TEST(subtraction, slides_a_window) {
  const std::vector<double> x = {1e100, 1, -1e100, 1e-300, 3, 1e308, 1e308, -1e308, 0.5, 0.25};
  state window(op::sum, dtype::f64);
  for (std::size_t i = 0; i < x.size(); ++i) {
    window.merge(partial(op::sum, array_view(x.data() + i, 1)));
    if (i >= 3) window.subtract(partial(op::sum, array_view(x.data() + i - 3, 1)));
    const std::size_t first = i >= 3 ? i - 2 : 0;
    EXPECT_EQ(window, partial(op::sum, array_view(x.data() + first, i - first + 1)));
  }
}

TEST(subtraction, keeps_negative_zeros_that_were_alone) {
  const auto sum_of = [](const std::vector<double>& x) { return partial(op::sum, x); };
  EXPECT_TRUE(std::signbit(sum_of({-0.0, -0.0}).subtract(sum_of({-0.0})).value()));
  EXPECT_FALSE(std::signbit(sum_of({-0.0, 1.0}).subtract(sum_of({1.0})).value()))
      << "not known any more";
  EXPECT_EQ(sum_of({-0.0, 1.0}).subtract(sum_of({-0.0, 1.0})), sum_of({}));
}

template <class T>
void expect_refused(op op, const std::vector<T>& all, const std::vector<T>& removed) {
  state from = state_of(op, all);
  const auto done = from.try_subtract(state_of(op, removed));
  EXPECT_EQ(done.code(), status_code::mismatch) << name(op) << ": " << done.message();
  EXPECT_EQ(from, state_of(op, all)) << "is left as it was";
  EXPECT_THROW(from.subtract(state_of(op, removed)), error);
}

TEST(subtraction, refuses_elements_that_were_not_there) {
  const double inf = std::numeric_limits<double>::infinity(), nan = std::nan("");
  using list = std::vector<double>;
  for (const op op : {op::sum, op::norm2, op::var}) {
    expect_refused(op, list{1}, list{1, 2});
    expect_refused(op, list{1, 2}, list{1, nan});
    expect_refused(op, list{1, 2}, list{inf});
    expect_refused(op, list{1}, list{2});
    expect_refused(op, list{1, inf}, list{2, 2});
  }
  expect_refused(op::sum, list{inf, 1}, list{-inf});
  expect_refused(op::sum, list{-0.0, -0.0}, list{0.0});
  expect_refused(op::var, list{1, 2, 3}, list{4});
  expect_refused(op::count_nonzero, list{0, 1}, list{2, 3});
  expect_refused(op::sum, std::vector<int>{1}, std::vector<int>{1, 0});
  expect_refused(op::sum, std::vector<int>{1}, std::vector<int>{3});
  state sum(op::sum, dtype::f64);
  EXPECT_EQ(sum.try_subtract(state(op::mean, dtype::f64)).code(), status_code::mismatch);
  EXPECT_EQ(sum.try_subtract(state(op::sum, dtype::f32)).code(), status_code::mismatch);
}

// Sums that cannot be negative: more was taken out than is there.
TEST(subtraction, refuses_negative_sums_of_non_negative_terms) {
  using naturals = std::vector<std::uint64_t>;
  for (const op op : {op::norm1, op::norm2, op::sumsq}) {
    expect_refused(op, std::vector<double>{1, -1}, {-3});
    expect_refused(op, std::vector<f16>{as_float<f16>(1), as_float<f16>(1)},
                   {as_float<f16>(0x7bff)});
    expect_refused(op, std::vector<int>{1, -1}, {-3});
    expect_refused(op, naturals{1, 1}, {UINT64_MAX});
  }
  for (const op op : {op::sum, op::mean, op::var, op::stddev}) {
    expect_refused(op, naturals{3, 0, 0}, {2, 2});
    expect_refused(op, std::vector<std::uint8_t>{3, 0, 0}, {2, 2});
    EXPECT_TRUE(partial(op, std::vector<int>{3, 0, 0})
                    .try_subtract(partial(op, std::vector<int>{2, 2}))
                    .ok())
        << "which leave -1";
  }
  expect_refused(op::dot, naturals{1, 1, 1, 1}, {3, 3});
  state bools(op::sum, dtype::boolean);
  const bool one[] = {true}, two[] = {false, false};
  bools.merge(partial(op::sum, two));
  EXPECT_EQ(bools.try_subtract(partial(op::sum, one)).code(), status_code::mismatch);
}

TEST(subtraction, refuses_the_bytes_of_a_negative_sum_of_squares) {
  const std::vector<std::int64_t> x = {1, -2}, y = {1, 3};
  auto bytes = partial(op::dot, {x, y}).bytes();
  EXPECT_TRUE(state::from_bytes(bytes).ok());
  bytes[8] = std::byte(op::sumsq);
  EXPECT_EQ(state::from_bytes(bytes).why().code(), status_code::malformed);
  bytes = partial(op::sum, x).bytes();
  bytes[8] = std::byte(op::norm1);
  EXPECT_EQ(state::from_bytes(bytes).why().code(), status_code::malformed);
}

TEST(subtraction, is_unsupported_where_an_element_hides_others) {
  for (const op op :
       {op::norminf, op::min, op::argmax, op::minmax, op::bit_and, op::bit_xor, op::prod}) {
    state made(op, dtype::i32);
    const auto done = made.try_subtract(made);
    EXPECT_EQ(done.code(), status_code::unsupported);
    EXPECT_NE(done.message().find(name(op)), std::string::npos) << done.message();
  }
}

}  // namespace
}  // namespace onefold::test
