// SPDX-License-Identifier: Apache-2.0
// A sample of the pairs, and the reference against integers of GMP.
#include "exhaustive/pairs.hpp"

#include <gtest/gtest.h>

#include "support/elements.hpp"
#include "support/nearest.hpp"
#include "support/oracle.hpp"

namespace onefold::test {
namespace {

template <class T>
void try_sample(std::uint64_t stream) {
  pairs_of<T> pairs;
  random_source random = source_of(stream, 0);
  const auto& format = narrow_format_of<T>;
  std::vector<std::uint16_t> firsts = {0, 0x8000, 1, 0x8001, format.infinity, format.nan};
  for (int k = int(firsts.size()); k < 32; ++k) firsts.push_back(std::uint16_t(random()));
  for (const auto a : firsts)
    for (const auto op : {pair_op::sum, pair_op::dot})
      for (const auto layout : {pair_layout::rows, pair_layout::columns})
        EXPECT_EQ(pairs.mismatches(a, op, layout), 0)
            << "ONEFOLD_TEST_SEED=" << seed() << ": a " << a << ", first b " << pairs.first_wrong()
            << (op == pair_op::sum ? ", a + b" : ", a a + a b");
}

// 2^21 pairs a format and operator, each in rows and in columns.
TEST(pairs, of_a_sample_are_correctly_rounded) {
  try_sample<f16>(6200);
  try_sample<bf16>(6201);
}

// The reference by its definition: the exact value, and the two midpoints around the answer.
template <class T>
void try_reference(std::uint64_t stream) {
  const pairs_of<T> pairs;
  random_source random = source_of(stream, 0);
  for (int k = 0; k < 200'000; ++k) {
    const auto a = std::uint16_t(random()), near = std::uint16_t(a ^ 0x8000);
    const auto b = std::uint16_t(random.one_in(3) ? near + random.between(-3, 3) : random());
    if ((a & 0x7FFF) >= ieee<T>::infinity || (b & 0x7FFF) >= ieee<T>::infinity) continue;
    const auto units = [](std::uint16_t bits) {
      const mpz_class magnitude = in_units<T>(std::uint16_t(bits & 0x7FFF));
      return bits & 0x8000 ? mpz_class(-magnitude) : magnitude;
    };
    const mpz_class x = units(a), y = units(b), sum = x + y, dot = x * sum;
    const auto expect = [&](const mpz_class& exact, int unit, pair_op op) {
      const auto got = pairs.reference(a, b, op);
      const bool both_minus_zero = a == 0x8000 && b == 0x8000 && op == pair_op::sum;
      const exact_answer right = {
          exact_answer::kind::number, exact < 0 || both_minus_zero, {abs(exact), 1, unit}};
      EXPECT_TRUE(matches<T>(got, right)) << a << " and " << b << " give " << got;
    };
    expect(sum, ieee<T>::lsb, pair_op::sum), expect(dot, 2 * ieee<T>::lsb, pair_op::dot);
  }
}

TEST(pairs, have_a_reference_that_rounds_once) {
  try_reference<f16>(6210);
  try_reference<bf16>(6211);
}

TEST(pairs, of_infinities_and_nan_follow_ieee) {
  const pairs_of<f16> pairs;
  EXPECT_EQ(pairs.reference(0x7C00, 0xFC00, pair_op::sum), 0x7E00);
  EXPECT_EQ(pairs.reference(0x7C00, 0x3C00, pair_op::sum), 0x7C00);
  EXPECT_EQ(pairs.reference(0xFFFF, 0x3C00, pair_op::sum), 0x7E00);
  EXPECT_EQ(pairs.reference(0x7C00, 0, pair_op::dot), 0x7E00);
  EXPECT_EQ(pairs.reference(0x7BFF, 0x7BFF, pair_op::sum), 0x7C00);
}

// A wrong answer is seen: with one digit less the reference differs from the library.
TEST(pairs, would_show_a_wrong_rounding) {
  narrow_format blunt = narrow_format_of<f16>;
  --blunt.digits, ++blunt.lsb;
  EXPECT_NE(rounded_in_integers(0x1.004p0, blunt),
            rounded_in_integers(0x1.004p0, narrow_format_of<f16>));
  EXPECT_EQ(rounded_in_integers(0x1.002p0, narrow_format_of<f16>), 0x3C00);
  EXPECT_EQ(rounded_in_integers(0x1.006p0, narrow_format_of<f16>), 0x3C02);
  EXPECT_EQ(rounded_in_integers(0x1p-25, narrow_format_of<f16>), 0);
  EXPECT_EQ(rounded_in_integers(0x1.0000000000001p-25, narrow_format_of<f16>), 1);
  EXPECT_EQ(rounded_in_integers(65520.0, narrow_format_of<f16>), 0x7C00);
  EXPECT_EQ(rounded_in_integers(0x1.ffbffffffffffp15, narrow_format_of<f16>), 0x7BFF);
}

}  // namespace
}  // namespace onefold::test
