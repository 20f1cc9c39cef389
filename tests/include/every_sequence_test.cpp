// SPDX-License-Identifier: Apache-2.0
// A format of six bits: every sequence of elements up to a length, and every answer.
//
// One sign bit, three bits of exponent, two of fraction: 64 patterns with infinities, NaNs and
// subnormals, the largest number 14, the least 1/16. All that exact.hpp can do is asked of every
// sequence of 3 elements and every multiset of 4, every sequence of 2 products; the answers are
// found by trying all numbers of the format, in 64-bit integers.
#include <gtest/gtest.h>

#include <array>
#include <bit>

#include "onefold/exact.hpp"
#include "support/random.hpp"

namespace onefold::test {
struct f6 {
  std::uint8_t bits = 0;
  friend bool operator==(f6, f6) = default;
  friend constexpr std::uint8_t to_bits(f6 x) { return x.bits; }
};
}  // namespace onefold::test

namespace onefold::detail {
template <>
struct float_format<test::f6> : binary_format<std::uint8_t, 3, 3, 3, 3> {};
}  // namespace onefold::detail

namespace onefold::test {
namespace {

constexpr int patterns = 64, sign = 32, infinity = 28, nan = 30;
__extension__ typedef __int128 int128;

constexpr bool is_nan(int bits) {
  return (bits & 31) > infinity;
}
constexpr bool is_infinite(int bits) {
  return (bits & 31) == infinity;
}
/// The magnitude in sixteenths; for the infinity what the next number would be.
constexpr std::int64_t units(int bits) {
  const int field = bits >> 2 & 7, fraction = bits & 3;
  return field == 0 ? fraction : std::int64_t(4 + fraction) << (field - 1);
}
constexpr std::int64_t value(int bits) {
  return bits & sign ? -units(bits) : units(bits);
}
static_assert(units(infinity - 1) == 14 * 16 && units(infinity) == 16 * 16);

// The magnitude nearest to (top / bottom)^(1 / power), in sixteenths, ties to even: the number of
// midpoints below it, where an even number takes a midpoint itself. Midpoints are thirty-seconds.
int nearest(int128 top, int128 bottom, int power) {
  int bits = 0;
  while (bits < infinity) {
    const std::int64_t twice = units(bits) + units(bits + 1);
    const int128 left = top * (power == 2 ? 4 : 2);
    const int128 right = bottom * (power == 2 ? twice * twice : twice);
    if (left < right || (left == right && bits % 2 == 0)) break;
    ++bits;
  }
  return bits;
}

struct reference {
  std::int64_t n = 0, sum = 0, squares = 0, nans = 0, plus = 0, minus = 0, minus_zeros = 0;

  void add(int bits) {
    ++n;
    nans += is_nan(bits);
    if (is_infinite(bits)) ++(bits & sign ? minus : plus);
    minus_zeros += bits == sign;
    if ((bits & 31) < infinity) sum += value(bits), squares += value(bits) * value(bits);
  }
  reference without_nans() const {
    reference left = *this;
    left.n -= nans, left.nans = 0;
    return left;
  }
  bool finite() const { return nans == 0 && plus == 0 && minus == 0; }
  int special() const { return nans || (plus && minus) ? nan : minus ? infinity | sign : infinity; }
  int signed_by(std::int64_t exact, int magnitude) const {
    return exact < 0 || (n > 0 && minus_zeros == n) ? magnitude | sign : magnitude;
  }

  int value_of_sum() const {
    return finite() ? signed_by(sum, nearest(std::abs(sum), 1, 1)) : special();
  }
  int mean() const {
    if (n == 0) return nan;
    return finite() ? signed_by(sum, nearest(std::abs(sum), n, 1)) : special();
  }
  // Squares have units of 1/256: a sixteenth of the unit that `nearest` counts in.
  int sum_of_squares() const { return nans ? nan : finite() ? nearest(squares, 16, 1) : infinity; }
  int norm() const { return nans ? nan : finite() ? nearest(squares, 1, 2) : infinity; }
  int spread(std::int64_t correction, int power) const {
    if (!finite() || n == 0 || n <= correction) return nan;
    const std::int64_t top = n * squares - sum * sum, bottom = n * (n - correction);
    return power == 2 ? nearest(top, bottom, 2) : nearest(top, 16 * bottom, 1);
  }
};

constexpr f6 element(int bits) {
  return {std::uint8_t(bits)};
}

// One comparison for all answers: a sequence with a wrong one is printed.
using answers = std::array<std::uint8_t, 13>;

answers expected_answers(const reference& sums) {
  const int list[] = {sums.value_of_sum(), sums.mean(),       sums.sum_of_squares(),
                      sums.norm(),         sums.spread(0, 1), sums.spread(1, 1),
                      sums.spread(2, 1),   sums.spread(3, 1), sums.spread(0, 2),
                      sums.spread(1, 2),   sums.spread(2, 2), sums.spread(3, 2),
                      int(sums.n)};
  answers all{};
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = std::uint8_t(list[i]);
  return all;
}

answers answers_of(const exact_moments<f6>& moments) {
  const auto& squares = moments.squares();
  const f6 list[] = {moments.sum().value(),
                     moments.mean(),
                     squares.value(),
                     squares.root(),
                     moments.variance(0),
                     moments.variance(1),
                     moments.variance(2),
                     moments.variance(3),
                     moments.deviation(0),
                     moments.deviation(1),
                     moments.deviation(2),
                     moments.deviation(3),
                     element(int(moments.count()))};
  answers all{};
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = list[i].bits;
  return all;
}

std::string text_of(const answers& all) {
  std::string text;
  for (const int bits : all) text += std::to_string(bits) + " ";
  return text;
}

struct walk {
  bool sorted;       ///< multisets instead of sequences
  std::size_t most;  ///< elements
  std::int64_t seen = 0, wrong = 0;
  std::array<int, 8> path{};

  void check(std::size_t n, const exact_moments<f6>& got, const reference& expected) {
    if (!is_taken(std::uint64_t(seen++))) return;
    const bool right = answers_of(got) == expected_answers(expected) &&
                       answers_of(got.without_nans()) == expected_answers(expected.without_nans());
    if (right || ++wrong > 10) return;
    std::string sequence;
    for (std::size_t i = 0; i < n; ++i) sequence += std::to_string(path[i]) + " ";
    ADD_FAILURE() << "elements " << sequence << "\ngot      " << text_of(answers_of(got))
                  << "\nexpected " << text_of(expected_answers(expected));
  }

  void from(std::size_t n, const exact_moments<f6>& got, const reference& expected) {
    check(n, got, expected);
    if (n == most) return;
    for (int bits = sorted && n > 0 ? path[n - 1] : 0; bits < patterns; ++bits) {
      exact_moments<f6> longer = got;
      reference with = expected;
      path[n] = bits;
      longer.add(element(bits)), with.add(bits);
      from(n + 1, longer, with);
    }
  }
};

TEST(every_sequence, of_three_elements_has_the_right_answers) {
  walk sequences{false, 3};
  sequences.from(0, {}, {});
  EXPECT_EQ(sequences.seen, 1 + 64 + 64 * 64 + 64 * 64 * 64);
  EXPECT_EQ(sequences.wrong, 0);
}

TEST(every_sequence, of_four_elements_in_rising_order_has_the_right_answers) {
  walk multisets{true, 4};
  multisets.from(0, {}, {});
  EXPECT_EQ(multisets.seen, 68 * 67 * 66 * 65 / 24) << "of up to four elements out of 64";
  EXPECT_EQ(multisets.wrong, 0);
}

// Equal multisets have equal states: every sequence of three has the state of its sorted self.
TEST(every_sequence, of_three_elements_has_the_state_of_its_multiset) {
  const auto state_of = [](auto... bits) {
    exact_moments<f6> moments;
    (moments.add(element(bits)), ...);
    return moments;
  };
  std::int64_t wrong = 0;
  for (int a = 0; a < patterns; ++a)
    for (int b = a; b < patterns; ++b)
      for (int c = b; c < patterns; ++c) {
        const auto whole = state_of(a, b, c);
        for (const auto& other : {state_of(a, c, b), state_of(b, a, c), state_of(b, c, a),
                                  state_of(c, a, b), state_of(c, b, a)})
          wrong += !(other == whole);
        auto merged = state_of(c);
        merged.merge(state_of(b, a));
        wrong += !(merged == whole);
      }
  EXPECT_EQ(wrong, 0);
}

struct product_reference {
  std::int64_t n = 0, sum = 0, nans = 0, invalid = 0, plus = 0, minus = 0, minus_zeros = 0;

  void add(int a, int b) {
    const bool below = ((a ^ b) & sign) != 0, zero = units(a) == 0 || units(b) == 0;
    ++n;
    if (is_nan(a) || is_nan(b))
      ++nans;
    else if (is_infinite(a) || is_infinite(b))
      ++(zero ? invalid : below ? minus : plus);
    else
      sum += value(a) * value(b), minus_zeros += zero && below;
  }
  int special() const {
    if (nans || invalid || (plus && minus)) return nan;
    return minus ? infinity | sign : plus ? infinity : 0;
  }
  int result(int power) const {
    if (const int special_case = special())
      return power == 2 && special_case > sign ? nan : special_case;
    if (n > 0 && minus_zeros == n) return sign;
    if (sum < 0) return power == 2 ? nan : sign | nearest(-sum, 16, 1);
    return power == 2 ? nearest(sum, 1, 2) : nearest(sum, 16, 1);
  }
};

TEST(every_sequence, of_two_products_has_the_right_sum_and_root) {
  std::int64_t wrong = 0;
  const auto check = [&](const exact_dot<f6>& got, const product_reference& expected) {
    wrong += got.value().bits != expected.result(1) || got.root().bits != expected.result(2);
  };
  check({}, {});
  for (int first = 0; first < patterns * patterns; ++first) {
    exact_dot<f6> one;
    product_reference expected;
    one.add(element(first % patterns), element(first / patterns));
    expected.add(first % patterns, first / patterns);
    check(one, expected);
    for (int second = 0; second < patterns * patterns; ++second) {
      if (!is_taken(std::uint64_t(first) * patterns * patterns + std::uint64_t(second))) continue;
      exact_dot<f6> two = one;
      product_reference both = expected;
      two.add(element(second % patterns), element(second / patterns));
      both.add(second % patterns, second / patterns);
      check(two, both);
    }
  }
  EXPECT_EQ(wrong, 0);
}

// Six bits of the sum of wider elements, and wide answers of sums of narrow ones.
TEST(every_sequence, of_three_elements_has_the_right_answers_in_wide_formats) {
  std::int64_t wrong = 0;
  for (int a = 0; a < sign; ++a)
    for (int b = a; b < patterns; ++b) {
      if (units(a) >= units(infinity) || units(b) >= units(infinity)) continue;
      exact_moments<f6> narrow;
      exact_moments<double> wide;
      for (const int bits : {a, b})
        narrow.add(element(bits)), wide.add(double(value(bits)) / 16 * (bits == sign ? -1 : 1));
      wrong += narrow.mean<double>() != wide.mean() || narrow.mean() != wide.mean<f6>();
      wrong += narrow.variance<double>(1) != wide.variance(1);
      wrong += narrow.deviation<double>() != wide.deviation();
      wrong += narrow.deviation() != wide.deviation<f6>();
    }
  EXPECT_EQ(wrong, 0);
}

TEST(every_sequence, of_eleven_bits_is_rounded_right_at_every_place) {
  for (int exponent = -12; exponent <= 5; ++exponent)
    for (std::int64_t x = 0; x < 2048; ++x) {
      const auto got = int(detail::round_magnitude<f6>({&x, 1}, exponent));
      ASSERT_EQ(got, nearest(int128(x) << (exponent + 12), 256, 1)) << x << " 2^" << exponent;
    }
}

}  // namespace
}  // namespace onefold::test
