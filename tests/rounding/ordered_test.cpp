// SPDX-License-Identifier: Apache-2.0
// Answers of products from states made by hand.
#include "rounding/round_state.hpp"

#include <gtest/gtest.h>

namespace onefold::test {
namespace {

using detail::product;

template <class Out>
Out written(const product& from, dtype input) {
  Out out{};
  const auto done = round_state(op::prod, any_state(from), {input}, &out, dtype_of<Out>);
  EXPECT_TRUE(done.ok()) << done.message();
  return out;
}

TEST(wrapped_product, has_the_sign_that_its_elements_may_have) {
  const product minus_fifteen = product::of_wrapped(2, std::uint64_t(-15));
  EXPECT_EQ(written<double>(minus_fifteen, dtype::i32), -15);
  EXPECT_EQ(written<float>(minus_fifteen, dtype::i64), -15);
  EXPECT_EQ(written<std::int8_t>(minus_fifteen, dtype::i8), -15);
  EXPECT_EQ(written<std::uint8_t>(minus_fifteen, dtype::i8), 241);
  EXPECT_EQ(written<double>(minus_fifteen, dtype::u64), 0x1p64);
  EXPECT_EQ(written<double>(product::of_wrapped(2, 1), dtype::boolean), 1);
}

TEST(exact_product, is_its_magnitude_with_its_sign) {
  const product minus = product::of_integers(3, ~std::uint64_t(0), true, false);
  EXPECT_EQ(written<double>(minus, dtype::i64), -0x1p64);
  EXPECT_EQ(written<double>(product::of_integers(2, 15, true, false), dtype::i8), -15);
  std::int64_t out = 7;
  EXPECT_EQ(round_integer_product(minus, {dtype::i64}, &out, dtype::i64).code(),
            status_code::overflow);
  double rounded = 7;
  const product beyond = product::of_integers(2, 0, false, true);
  EXPECT_EQ(round_integer_product(beyond, {dtype::i64}, &rounded, dtype::f64).code(),
            status_code::overflow);
  EXPECT_EQ(out, 7);
  EXPECT_EQ(rounded, 7);
}

}  // namespace
}  // namespace onefold::test
