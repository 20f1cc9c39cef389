// SPDX-License-Identifier: Apache-2.0
// Answers of fast reductions from states made by hand.
#include "rounding/fast.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "support/ieee.hpp"

namespace onefold::test {
namespace {

template <class Out>
Out written(const ordered_state& value, const fast_answer& request) {
  Out out{};
  const auto done = write_fast(value, request, &out, dtype_of<Out>);
  EXPECT_TRUE(done.ok()) << done.message();
  return out;
}

template <class Out>
void expect_refused(const ordered_state& value, const fast_answer& request) {
  Out out = Out(1);
  EXPECT_EQ(write_fast(value, request, &out, dtype_of<Out>).code(), status_code::unsupported);
  EXPECT_EQ(out, Out(1));
}

constexpr ordered_state six = fast_total<float>{6};

TEST(fast_answer, divides_and_takes_roots) {
  EXPECT_EQ(written<float>(six, {op::sum, dtype::f32, 4}), 6);
  EXPECT_EQ(written<float>(six, {op::mean, dtype::f32, 4}), 1.5f);
  EXPECT_EQ(written<double>(six, {op::mean, dtype::f16, 7}), 6.0 / 7);
  EXPECT_EQ(written<float>(six, {op::mean, dtype::f16, 7}), float(6.0 / 7));
  EXPECT_EQ(written<double>(six, {op::norm2, dtype::f32, 4}), std::sqrt(6.0));
  EXPECT_EQ(written<double>(six, {op::norm1, dtype::f32, 4}), 6);
  EXPECT_EQ(written<double>(six, {op::sumsq, dtype::f32, 4}), 6);
  EXPECT_EQ(written<double>(six, {op::dot, dtype::f32, 4}), 6);
}

TEST(fast_answer, of_moments_has_the_correction_asked) {
  const ordered_state moments = fast_moments<double>{5, 100, 12};
  EXPECT_EQ(written<double>(moments, {op::var, dtype::f64, 5}), 12.0 / 5);
  EXPECT_EQ(written<double>(moments, {op::var, dtype::f64, 5, 1}), 3);
  EXPECT_EQ(written<double>(moments, {op::stddev, dtype::f64, 5, 2}), 2);
  EXPECT_EQ(written<float>(moments, {op::stddev, dtype::i32, 5, 1}), float(std::sqrt(3.0)));
  EXPECT_EQ(written<double>(moments, {op::var, dtype::f64, 5, -1}), 2);
  EXPECT_EQ(written<double>(moments, {op::var, dtype::f64, 5, INT64_MIN}), 12 * 0x1p-63);
  EXPECT_EQ(written<double>(moments, {op::var, dtype::f64, 5, 0.2}), 12 / 4.8);
  EXPECT_EQ(written<double>(moments, {op::var, dtype::f64, 5, -1e300}), 12 / 1e300);
  for (double correction : {5.0, 5.5, 6.0})
    EXPECT_EQ(as_bits(written<double>(moments, {op::var, dtype::f64, 5, correction})),
              ieee<double>::nan);
}

TEST(fast_answer, of_nothing_is_zero_or_nan) {
  for (op op : {op::sum, op::norm1, op::sumsq, op::dot, op::norm2}) {
    EXPECT_EQ(as_bits(written<double>(fast_total<double>(), {op, dtype::f64, 0})), 0u);
    EXPECT_EQ(as_bits(written<float>(fast_total<std::uint64_t>(), {op, dtype::i8, 0})), 0u);
  }
  EXPECT_EQ(as_bits(written<double>(fast_total<double>(), {op::mean, dtype::f64, 0})),
            ieee<double>::nan);
  EXPECT_EQ(as_bits(written<double>(fast_total<std::uint64_t>(), {op::mean, dtype::u8, 0})),
            ieee<double>::nan);
  EXPECT_EQ(as_bits(written<float>(fast_moments<float>(), {op::stddev, dtype::f32, 0, -1})),
            ieee<float>::nan);
}

TEST(fast_answer, keeps_the_sign_of_a_sum_of_negative_zeros) {
  EXPECT_EQ(as_bits(written<float>(fast_total<float>{-0.0f}, {op::sum, dtype::f32, 3})),
            ieee<float>::sign);
}

// Sums and products of signed integers are signed; magnitudes and squares fill 64 bits.
TEST(fast_answer, of_integers_wraps) {
  const ordered_state top = fast_total<std::uint64_t>{std::uint64_t(1) << 63};
  EXPECT_EQ(written<double>(top, {op::sum, dtype::i64, 4}), -0x1p63);
  EXPECT_EQ(written<double>(top, {op::dot, dtype::i8, 4}), -0x1p63);
  EXPECT_EQ(written<double>(top, {op::mean, dtype::i64, 4}), -0x1p61);
  EXPECT_EQ(written<double>(top, {op::sum, dtype::u64, 4}), 0x1p63);
  EXPECT_EQ(written<double>(top, {op::mean, dtype::u32, 4}), 0x1p61);
  EXPECT_EQ(written<double>(top, {op::norm1, dtype::i64, 4}), 0x1p63);
  EXPECT_EQ(written<double>(top, {op::sumsq, dtype::i64, 4}), 0x1p63);
  EXPECT_EQ(written<double>(top, {op::norm2, dtype::i64, 4}), std::sqrt(0x1p63));
  EXPECT_EQ(written<std::int64_t>(top, {op::sum, dtype::i64, 4}),
            std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(written<std::uint8_t>(fast_total<std::uint64_t>{0x1234}, {op::sum, dtype::i64, 4}),
            0x34);
}

TEST(fast_answer, is_no_integer_where_it_is_floating) {
  expect_refused<std::int64_t>(six, {op::sum, dtype::f32, 4});
  expect_refused<std::int64_t>(fast_total<std::uint64_t>{8}, {op::mean, dtype::i32, 4});
  expect_refused<std::int32_t>(fast_total<std::uint64_t>{8}, {op::norm2, dtype::i32, 4});
  expect_refused<std::int32_t>(fast_moments<double>{4, 1, 1}, {op::var, dtype::i32, 4});
  expect_refused<bool>(fast_total<std::uint64_t>{8}, {op::sum, dtype::boolean, 4});
}

}  // namespace
}  // namespace onefold::test
