// SPDX-License-Identifier: Apache-2.0
// The one rounding at its edges: ties and their neighbours, subnormals, the end of the range, for
// all four formats, against GMP and MPFR.
#include "onefold/detail/round.hpp"

#include <gtest/gtest.h>

#include <array>

#include "support/elements.hpp"
#include "support/oracle.hpp"

namespace onefold::test {
namespace {

constexpr int digits = 68;

// total * 2^exponent, total >= 0, by the library.
template <class Out>
bits_of<Out> by_the_library(const mpz_class& total, int exponent) {
  std::array<std::uint32_t, digits> packed{};
  mpz_export(packed.data(), nullptr, -1, sizeof packed[0], 0, 0, total.get_mpz_t());
  std::array<std::int64_t, digits> spread{};
  for (std::size_t i = 0; i < digits; ++i) spread[i] = packed[i];
  return detail::round_magnitude<Out>({spread.data(), digits}, exponent);
}

template <class Out>
bool same(const mpz_class& total, int exponent) {
  const auto expected = rounded<Out>(total, exponent), mpfr = rounded_by_mpfr<Out>(total, exponent);
  const auto got = by_the_library<Out>(total, exponent);
  EXPECT_TRUE(got == expected && got == mpfr)
      << "ONEFOLD_TEST_SEED=" << seed() << ", 0x" << total.get_str(16) << " * 2^" << exponent
      << " in " << ieee<Out>::name << ": GMP " << hex(expected) << ", MPFR " << hex(mpfr)
      << ", the library " << hex(got);
  return got == expected && got == mpfr;
}

// The point half-way between an element and the one above it, in units that leave `depth` bits
// below its last bit; and that point's neighbours.
template <class Out>
bool try_midpoint(bits_of<Out> below, int depth) {
  using format = ieee<Out>;
  const int field = int(below >> format::fraction_bits);
  const auto fraction = std::uint64_t(below & (format::hidden - 1));
  const mpz_class significand(
      static_cast<unsigned long>(field == 0 ? fraction : fraction | format::hidden));
  const int unit = (field == 0 ? 0 : field - 1) + format::lsb;
  const mpz_class element = significand << unsigned(depth);
  const mpz_class half = mpz_class(1) << unsigned(depth - 1);
  bool right = true;
  for (int away : {-1, 0, 1}) right &= same<Out>(element + half + away, unit - depth);
  return right && same<Out>(element, unit - depth) && same<Out>(element + 1, unit - depth);
}

template <class Out>
void try_edges() {
  using format = ieee<Out>;
  const auto largest = bits_of<Out>(format::infinity - 1);
  for (const int depth : {1, 2, 3, 31, 32, 33, 63, 64, 65, 200}) {
    for (bits_of<Out> low = 0; low < 5; ++low) {
      EXPECT_TRUE(try_midpoint<Out>(low, depth));  // least subnormals
      EXPECT_TRUE(
          try_midpoint<Out>(bits_of<Out>(format::hidden - 3 + low), depth));  // least normal
      EXPECT_TRUE(try_midpoint<Out>(bits_of<Out>(2 * format::hidden - 3 + low), depth));
      EXPECT_TRUE(try_midpoint<Out>(bits_of<Out>(largest - low), depth));  // towards infinity
    }
    EXPECT_TRUE(same<Out>(1, format::lsb - depth));  // far below everything
    EXPECT_TRUE(same<Out>(1, format::bias + depth));
  }
  EXPECT_EQ(by_the_library<Out>(0, format::lsb), 0);
  EXPECT_EQ(by_the_library<Out>(1, format::lsb), 1);
  EXPECT_EQ(by_the_library<Out>(1, format::lsb - 1), 0) << "half the least subnormal, to even";
  EXPECT_EQ(by_the_library<Out>(3, format::lsb - 2), 1) << "more than half of it";
  EXPECT_EQ(by_the_library<Out>(1, format::bias + 1), format::infinity);
}

TEST(rounding, at_the_edges_of_every_format_is_that_of_gmp_and_mpfr) {
  try_edges<double>();
  try_edges<float>();
  try_edges<bf16>();
  try_edges<f16>();
}

TEST(rounding, of_every_midpoint_of_the_narrow_formats_goes_to_even) {
  for (unsigned bits = 0; bits < ieee<f16>::infinity; ++bits)
    ASSERT_TRUE(try_midpoint<f16>(bits_of<f16>(bits), 1 + int(bits % 40)));
  for (unsigned bits = 0; bits < ieee<bf16>::infinity; ++bits)
    ASSERT_TRUE(try_midpoint<bf16>(bits_of<bf16>(bits), 1 + int(bits % 40)));
}

template <class Out>
void try_random_midpoints(std::uint64_t stream) {
  for (std::uint64_t k = 0; k < std::uint64_t(cases(20'000, 200)); ++k) {
    random_source random = source_of(stream, k);
    const auto bits = bits_of<Out>(random() & (ieee<Out>::sign - 1)) % ieee<Out>::infinity;
    ASSERT_TRUE(try_midpoint<Out>(bits_of<Out>(bits), random.between(1, 90)));
  }
}

TEST(rounding, of_random_midpoints_is_that_of_gmp_and_mpfr) {
  try_random_midpoints<double>(1800);
  try_random_midpoints<float>(1801);
}

// Long runs of ones and zeros, whose carries and sticky bits cross many digits.
mpz_class any_number(random_source& random) {
  mpz_class number = 0;
  for (int piece = random.between(1, 6); piece > 0; --piece) {
    const unsigned length = unsigned(random.between(1, 120));
    number <<= length;
    const std::uint64_t kind = random.below(3);
    if (kind == 1) number += (mpz_class(1) << length) - 1;
    if (kind == 2)
      number += mpz_class(static_cast<unsigned long>(random())) >> (length < 64 ? 64 - length : 0);
  }
  return number;
}

TEST(rounding, of_runs_of_bits_at_any_place_is_that_of_gmp_and_mpfr) {
  for (std::uint64_t k = 0; k < std::uint64_t(cases(40'000, 200)); ++k) {
    random_source random = source_of(1900, k);
    const mpz_class number = any_number(random);
    const int wide = random.between(-1300, 1000), narrow = random.between(-400, 60);
    ASSERT_TRUE(same<double>(number, wide) && same<float>(number, narrow) &&
                same<bf16>(number, narrow) && same<f16>(number, narrow));
  }
}

}  // namespace
}  // namespace onefold::test
