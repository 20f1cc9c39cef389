// SPDX-License-Identifier: Apache-2.0
// What the named functions take as elements: containers, iterators, a pointer and a number, any
// class with data() and size(); and which arguments the accumulators refuse.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "onefold/onefold.hpp"

namespace onefold::test {
namespace {

// A class that is no range, as many libraries have one.
struct boxed {
  using value_type = float;
  const float* data() const { return values; }
  int size() const { return 3; }
  float values[3] = {1, 2, 4};
};

// The same with gaps between its elements, of which data() and size() say nothing.
struct strided : boxed {
  std::array<int, 1> strides() const { return {2}; }
};
struct strided_by_axis : boxed {
  int stride(int) const { return 2; }
};

static_assert(element_range<boxed> && element_range<const boxed>);
static_assert(!element_range<strided> && !element_range<strided_by_axis>);
static_assert(!element_range<std::vector<bool>> && !element_range<std::string>);
static_assert(!element_range<std::vector<long double>>);

// Both have 64 bits here; one of them is std::int64_t, which one depends on the platform.
static_assert(dtype_of<long> == dtype::i64 && dtype_of<long long> == dtype::i64);
static_assert(dtype_of<unsigned long> == dtype::u64);
static_assert(dtype_of<unsigned long long> == dtype::u64);
static_assert(detail::key_of(~0ul) == INT64_MAX && detail::key_of(~0ull) == INT64_MAX);

TEST(arguments, are_iterators_of_one_range) {
  const std::vector<double> x = {8, 1, 2, 4};
  EXPECT_EQ(sum(x.begin() + 1, x.end()), 7.0);
  EXPECT_EQ(sum(x.data() + 1, x.data() + 3), 3.0);
  EXPECT_EQ(argmax(x.begin() + 1, x.end()), 2);
  EXPECT_EQ(sum(x.begin(), x.begin()), 0.0);
  EXPECT_EQ(sum(x.begin(), x.end(), {.initial = 0.5}), 15.5);
  EXPECT_EQ(try_mean(x.begin(), x.begin() + 2).value(), 4.5);
  EXPECT_EQ(minmax(x.begin(), x.end()), std::pair(1.0, 8.0));
}

TEST(arguments, are_a_pointer_and_a_number) {
  const float x[] = {1, 2, 4, 8};
  EXPECT_EQ(sum(x, 3), 7.0f);
  EXPECT_EQ(sum(x + 1, std::size_t(2)), 6.0f);
  EXPECT_EQ(sum(x, 0u), 0.0f);
  EXPECT_EQ(max(x, 2, {.accuracy = accuracy::fast}), 2.0f);
  EXPECT_EQ(try_norm1(x, std::int64_t(4)).value(), 15.0f);
  EXPECT_EQ(minmax(x, 3), std::pair(1.0f, 4.0f));
  const std::vector<long long> wide = {1LL << 62, 1LL << 62, -(1LL << 62)};
  EXPECT_EQ(sum(wide.data(), wide.size()), 1LL << 62);
}

TEST(arguments, of_a_negative_number_are_refused) {
  const double x[] = {1, 2};
  EXPECT_FALSE(try_sum(x, -1));
  EXPECT_FALSE(try_sum(x + 2, x));
}

TEST(arguments, are_classes_with_data_and_size) {
  const boxed box;
  EXPECT_EQ(sum(box), 7.0f);
  EXPECT_EQ(var(box, {.correction = 1}), 2.3333333f);
  EXPECT_EQ(sum(box, [](float x) { return double(x) * x; }), 21.0);
  EXPECT_EQ(dot(box, std::vector<float>{1, 1, 2}), 11.0f);
  EXPECT_EQ(minmax(box), std::pair(1.0f, 4.0f));
  EXPECT_EQ(partial(op::sum, box).value<float>(), 7.0f);
  EXPECT_EQ(segments<op::sum>(box, std::vector<std::int64_t>{0, 1, 3})[1], 6.0f);
}

TEST(arguments, of_dot_are_two_of_them) {
  const std::vector<double> x = {1, 2, 3}, y = {4, 5, 6};
  EXPECT_EQ(dot(x.begin(), x.end(), y.begin()), 32.0);
  EXPECT_EQ(dot(x.begin(), x.end(), y.begin(), {.accuracy = accuracy::fast}), 32.0);
  EXPECT_EQ(dot(x.data(), y.data(), 2), 14.0);
  EXPECT_EQ(try_dot(x.data(), x.data() + 3, y.data()).value(), 32.0);
  EXPECT_EQ(try_dot(x.data(), y.data(), x.size()).value(), 32.0);
}

// Every overload has the default options as its default argument, by which a few floats are known.
TEST(arguments, that_are_few_are_reduced_without_options) {
  const std::vector<double> x = {1, 2, 4};
  const array_view view(x), every_second(x.data(), dtype::f64, {{2, 16}});
  const options options;
  double answer = -77;
  EXPECT_FALSE(detail::reduce_span(op::sum, view, view, options, &answer));
  EXPECT_FALSE(detail::reduce_span(op::prod, view, view, detail::default_options(), &answer));
  EXPECT_FALSE(
      detail::reduce_span(op::sum, every_second, every_second, detail::default_options(), &answer));
  EXPECT_EQ(answer, -77);
  EXPECT_TRUE(detail::reduce_span(op::sum, view, view, detail::default_options(), &answer));
  EXPECT_EQ(answer, 7);
  EXPECT_EQ(sum(onefold::view<double>(x.data(), {{2, 16}})), 5);
  EXPECT_EQ(sum(x, options), 7);
}

// ---- What the accumulators refuse ----

template <class Exact, class... X>
concept adds = requires(Exact exact, X... x) {
  exact.add(x...);
};

// Narrower types, and integers that the format holds.
static_assert(adds<exact_sum<double>, float> && adds<exact_sum<double>, int>);
static_assert(adds<exact_sum<float>, short> && adds<exact_sum<float>, bool>);
static_assert(adds<exact_dot<double>, float, int> && adds<exact_moments<double>, float>);
static_assert(adds<exact_sum<int>, std::uint64_t> && adds<exact_dot<int>, char, std::int64_t>);
// Types that would be rounded on the way.
static_assert(!adds<exact_sum<float>, double> && !adds<exact_sum<float>, int>);
static_assert(!adds<exact_sum<double>, std::int64_t> && !adds<exact_sum<double>, long double>);
static_assert(!adds<exact_sum<f16>, float> && !adds<exact_sum<bf16>, double>);
static_assert(!adds<exact_dot<float>, float, double> && !adds<exact_dot<float>, double, float>);
static_assert(!adds<exact_dot<double>, double, std::uint64_t>);
static_assert(!adds<exact_moments<float>, double> && !adds<exact_moments<double>, long>);
static_assert(!adds<exact_sum<int>, double> && !adds<exact_dot<int>, int, float>);
#if defined(__SIZEOF_INT128__)
__extension__ typedef __int128 int128;
static_assert(!adds<exact_sum<int>, int128> && !adds<exact_dot<int>, int128, int>);
#endif

}  // namespace
}  // namespace onefold::test
