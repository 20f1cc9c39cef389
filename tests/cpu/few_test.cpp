// SPDX-License-Identifier: Apache-2.0
// A few elements in a row are summed without a plan; whatever is more than that is left alone.
#include "cpu/drivers/few.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>
#include <span>
#include <stop_token>
#include <vector>

#include "onefold/onefold.hpp"
#include "state/accumulator.hpp"
#include "support/families.hpp"
#include "support/oracle.hpp"
#include "support/random.hpp"

namespace onefold::test {
namespace {

constexpr double untouched = -77;

std::vector<array_view> one_view(const array_view& x) {
  return {x};
}

// Whether the short way gives an answer, which is 16; if not, nothing may be written.
bool is_served(const array_view& x, const options& how = {}, op op = op::sum) {
  double answer = untouched;
  const bool served = cpu::reduce_few(op, one_view(x), answer, how);
  EXPECT_EQ(answer, served ? 16 : untouched) << name(op);
  return served;
}

TEST(few_elements, are_summed_exactly) {
  constexpr std::size_t longest = 4096;
  std::vector<double> x;
  std::int64_t served = 0;
  const std::int64_t all = cases(20000);
  for (std::int64_t index = 0; index < all; ++index) {
    auto random = source_of(0x66657773, std::uint64_t(index));
    x.resize(random.one_in(100) ? longest : std::size_t(1 + random.below(80)));
    const auto& family = families<double>()[random.below(families<double>().size())];
    family.fill(random, x.data(), std::int64_t(x.size()));
    double answer = untouched;
    if (!cpu::reduce_few(op::sum, one_view(x), answer, {})) continue;
    oracle<double> expected;
    expected.add(x.data(), std::int64_t(x.size()));
    ASSERT_EQ(detail::to_bits(answer), expected.value())
        << family.name << ", case " << index << ", seed " << seed();
    ++served;
  }
  EXPECT_GT(served, all / 4);
}

TEST(few_elements, are_served_up_to_that_many) {
  const std::vector<double> x(8, 2.0), many(4096, 0x1p-8), more(4097, 16.0 / 4097);
  EXPECT_TRUE(is_served(x));
  EXPECT_TRUE(is_served(many));
  EXPECT_FALSE(is_served(more));
  EXPECT_FALSE(is_served(std::vector<double>()));
  EXPECT_TRUE(is_served(x, {.accuracy = accuracy::fast}));
  EXPECT_TRUE(is_served(std::vector<int>(8, 2)));
  EXPECT_TRUE(is_served(std::vector<double>(4, 2.0), {}, op::sumsq));
}

// UBSan reports a store to a double that lies elsewhere than its alignment asks.
TEST(few_elements, are_written_wherever_the_output_is) {
  const std::vector<double> x(8, 2.0);
  alignas(8) std::byte place[16];
  ASSERT_TRUE(cpu::reduce_few(op::sum, one_view(x), output_view(place + 1, dtype::f64, {}), {}));
  double answer = 0;
  std::memcpy(&answer, place + 1, sizeof answer);
  EXPECT_EQ(answer, 16);
}

TEST(few_elements, of_other_operators_need_a_plan) {
  const std::vector<int> x(8, 2);
  for (const op op : all_ops)
    if (op == op::dot || accumulator_of(op) > onefold::accumulator::products) {
      EXPECT_FALSE(is_served(x, {}, op));
    }
}

TEST(few_elements, of_other_shapes_need_a_plan) {
  const std::vector<double> x(17, 2.0);
  const auto* const bytes = reinterpret_cast<const std::byte*>(x.data());
  EXPECT_TRUE(is_served({x.data(), dtype::f64, {{8, 8}}}));
  EXPECT_FALSE(is_served({x.data(), dtype::f64, {{8, 16}}}));
  EXPECT_FALSE(is_served({x.data() + 16, dtype::f64, {{8, -8}}}));
  EXPECT_FALSE(is_served({x.data(), dtype::f64, {{2, 32}, {4, 8}}}));
  EXPECT_FALSE(is_served({x.data(), dtype::f64, {}}));
  EXPECT_FALSE(is_served({x.data(), dtype::f64, {{-8, 8}}}));
  EXPECT_FALSE(is_served({bytes + 1, dtype::f64, {{8, 8}}}));
  double answer = untouched;
  const output_view one_axis(&answer, dtype::f64, {{1, 8}});
  EXPECT_FALSE(cpu::reduce_few(op::sum, one_view(std::span(x.data(), 8)), one_axis, {}));
  EXPECT_EQ(answer, untouched);
}

TEST(few_elements, with_options_need_a_plan) {
  const std::vector<double> x(8, 2.0);
  const std::vector<unsigned char> mask(8, 1);
  options with[8];
  with[0].axes = axis(0), with[1].keepdims = true, with[2].nan_policy = nan_policy::omit;
  with[3].nan_policy = nan_policy::error, with[4].where = array_view(mask), with[5].initial = 0;
  with[6].progress = [](std::int64_t, std::int64_t) {};
  std::stop_source stopped;
  with[7].stop = stopped.get_token();
  EXPECT_TRUE(is_served(x, with[7]));
  stopped.request_stop();
  for (const options& each : with) EXPECT_FALSE(is_served(x, each)) << &each - with;
}

// The exact sum is a little more than half-way from 1 to the next double, by less than two doubles
// can say.
TEST(few_elements, with_an_ambiguous_sum_are_summed_again) {
  const std::vector<double> x = {1, 0x1p-53, 0x1p-300};
  EXPECT_FALSE(is_served(x));
  EXPECT_EQ(sum(x), 1 + 0x1p-52);
}

TEST(few_elements, fail_as_many_do) {
  const std::vector<double> x(8, 2.0);
  std::vector<double> answers(2);
  const auto code = [&](const output_view& output, const options& how) {
    return reduce(executor{}, op::sum, {array_view(x)}, output, how).code();
  };
  EXPECT_EQ(code(answers[0], {}), status_code::ok);
  EXPECT_EQ(code({answers.data(), dtype::f64, {{2, 8}}}, {}), status_code::mismatch);
  EXPECT_EQ(code(answers[0], {.axes = axis(1)}), status_code::mismatch);
  EXPECT_EQ(code(answers[0], {.keepdims = true}), status_code::mismatch);
  std::stop_source stopped;
  stopped.request_stop();
  options stopping;
  stopping.stop = stopped.get_token();
  EXPECT_EQ(code(answers[0], stopping), status_code::cancelled);
  signed char small = 0;
  EXPECT_EQ(reduce(executor{}, op::sum, {std::vector<int>(8, 100)}, small).code(),
            status_code::overflow);
}

}  // namespace
}  // namespace onefold::test
