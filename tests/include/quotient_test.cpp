// SPDX-License-Identifier: Apache-2.0
// Long division and integer roots of wide integers, digit by digit against GMP.
#include "onefold/detail/quotient.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "onefold/detail/centred_squares.hpp"
#include "support/oracle.hpp"
#include "support/random.hpp"

namespace onefold::test {
namespace {

using digits = std::vector<std::int64_t>;

// Digits at which estimates of quotient digits are wrong: none, one, half, half less one, all.
digits any_digits(random_source& random, std::size_t size) {
  constexpr std::uint64_t edges[] = {0, 1, 0x7FFFFFFF, 0x80000000, 0x80000001, 0xFFFFFFFF};
  digits x(size);
  for (auto& digit : x)
    digit = std::int64_t(random.one_in(2) ? edges[random.below(6)] : random() >> 32);
  return x;
}

mpz_class integer(const digits& x) {
  mpz_class sum = 0;
  for (std::size_t i = x.size(); i-- > 0;) sum = (sum << 32) + mpz_class(long(x[i]));
  return sum;
}
mpz_class integer(detail::wide_product x) {
  mpz_class sum = static_cast<unsigned long>(x.high);
  return (sum << 64) + mpz_class(static_cast<unsigned long>(x.low));
}
detail::digits_view view(const digits& x) {
  return {x.data(), int(x.size())};
}

template <int Bits, bool Even>
void try_division(const digits& n, const digits& d) {
  const auto q = detail::divide<Bits, Even, detail::all_checks>(view(n), view(d));
  const mpz_class top = q.exponent < 0 ? integer(n) << unsigned(-q.exponent) : integer(n);
  const mpz_class bottom = q.exponent > 0 ? integer(d) << unsigned(q.exponent) : integer(d);
  EXPECT_EQ(integer(q.value), mpz_class(top / bottom));
  EXPECT_EQ(q.exact, mpz_class(top % bottom) == 0);
  const auto width = int(mpz_sizeinbase(integer(q.value).get_mpz_t(), 2));
  EXPECT_TRUE(width == Bits || width == Bits + 1 || (Even && width == Bits + 2)) << width;
  EXPECT_TRUE(!Even || q.exponent % 2 == 0);
}

TEST(quotient, of_wide_integers_is_that_of_gmp) {
  for (std::uint64_t k = 0; k < std::uint64_t(cases(200'000, 1000)); ++k) {
    random_source random = source_of(2300, k);
    auto n = any_digits(random, 1 + random.below(12)), d = any_digits(random, 1 + random.below(4));
    n[random.below(n.size())] |= 1, d[random.below(d.size())] |= 1;
    if (random.one_in(4)) {  // a multiple of the divisor, give or take a little
      const mpz_class multiple = integer(d) * integer(n) + long(random.below(3)) - 1;
      if (multiple > 0) n = digits_of(multiple, 17);
    }
    try_division<56, false>(n, d);
    try_division<110, true>(n, d);
    ASSERT_FALSE(HasFailure()) << "ONEFOLD_TEST_SEED=" << seed() << ", case " << k;
  }
}

TEST(quotient, of_roots_of_integers_is_that_of_gmp) {
  for (std::uint64_t k = 0; k < std::uint64_t(cases(200'000, 1000)); ++k) {
    random_source random = source_of(2301, k);
    detail::wide_product x{random(), random() >> 16};
    if (k % 2) {  // a square, and one to either side
      const std::uint64_t root = random() >> random.between(8, 62);
      x = detail::multiply(root, root);
      const std::uint64_t low = x.low + random.below(3) - 1;
      if (root > 0 && (low >> 63) == (x.low >> 63)) x.low = low;
    }
    mpz_class root, rest;
    mpz_sqrtrem(root.get_mpz_t(), rest.get_mpz_t(), integer(x).get_mpz_t());
    const auto got = detail::square_root(x);
    EXPECT_EQ(mpz_class(static_cast<unsigned long>(got.root)), root) << integer(x);
    EXPECT_EQ(mpz_class(static_cast<unsigned long>(got.remainder)), rest) << integer(x);
  }
}

TEST(quotient, products_of_words_are_those_of_gmp) {
  for (std::uint64_t k = 0; k < 100'000; ++k) {
    random_source random = source_of(2302, k);
    const std::uint64_t x = integer(any_digits(random, 2)).get_ui(), y = random();
    EXPECT_EQ(integer(detail::multiply(x, y)),
              mpz_class(static_cast<unsigned long>(x)) * static_cast<unsigned long>(y));
  }
}

TEST(quotient, multiples_are_added_and_subtracted_with_all_their_carries) {
  for (std::uint64_t k = 0; k < 100'000; ++k) {
    random_source random = source_of(2303, k);
    const auto y = any_digits(random, 1 + random.below(4));
    auto x = any_digits(random, 9);
    x[8] = 0;
    const auto factor = std::uint32_t(any_digits(random, 1)[0]);
    const mpz_class before = integer(x), product = integer(y) * factor;
    detail::add_multiple(x.data(), 9, view(y), factor);
    EXPECT_EQ(integer(x), mpz_class(before + product));
    EXPECT_FALSE(detail::subtract_multiple(x.data(), 9, view(y), factor));
    EXPECT_EQ(integer(x), before);
    digits small(x.begin(), x.begin() + 2 + std::ptrdiff_t(y.size()));
    const bool below_zero = integer(small) < product;
    EXPECT_EQ(detail::subtract_multiple(small.data(), int(small.size()), view(y), factor),
              below_zero);
  }
}

}  // namespace
}  // namespace onefold::test
