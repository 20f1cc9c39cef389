// SPDX-License-Identifier: Apache-2.0
// Products: floats within their bound of MPFR's and with the same bits on every SIMD target; signs,
// zeros, infinities and NaN; integers against GMP; the rounding of pairs; words.
#include <gtest/gtest.h>

#include <cmath>
#include <variant>

#include "cpu/tasks/tasks.hpp"
#include "runtime/float_environment.hpp"
#include "support/each_target.hpp"
#include "support/oracle.hpp"
#include "support/plain_order.hpp"
#include "support/real_oracle.hpp"

namespace onefold::test {
namespace {

using detail::product;
using detail::scaled_pair;

std::vector<std::int64_t> words_of(const product& state) {
  std::vector<std::int64_t> words;
  state.for_each_word([&](std::int64_t word) { words.push_back(word); });
  return words;
}

std::vector<std::int64_t> random_cut(random_source& random, std::int64_t n) {
  std::vector<std::int64_t> pieces;
  for (std::int64_t left = n; left > 0; left -= pieces.back()) {
    const std::uint64_t longest = random.one_in(3) ? 65536 : random.one_in(2) ? 4096 : 90;
    pieces.push_back(std::min<std::int64_t>(left, 1 + std::int64_t(random.below(longest))));
  }
  return pieces;
}

product by_task(dtype type, accuracy how, const void* x, const std::vector<std::int64_t>& cut) {
  const float_environment sound;
  const auto task = cpu::make_product_task(type, how);
  product whole;
  std::int64_t done = 0;
  for (const std::int64_t n : cut) {
    const auto* at = static_cast<const std::byte*>(x) + std::size_t(done) * size_bytes(type);
    whole.append(std::get<product>(task->take({at, nullptr, n, done})));
    done += n;
  }
  return whole;
}

// docs/numerics/product.md, Theorem 3: n elements in pieces that have so many lanes in all.
double bound(std::int64_t n, const std::vector<std::int64_t>& cut) {
  double lanes = 0;
  for (const std::int64_t piece : cut) lanes += double(std::min<std::int64_t>(piece, 64));
  const double first_order = (2.01 * (double(n) - lanes) + 6.1 * (lanes - 1)) * 0x1p-106;
  return first_order / (1 - first_order) + double(n) * 0x1p-510;
}

enum class factors { any_bits, near_one, huge, tiny, subnormal, powers, ones, mixed };
constexpr factors all_factors[] = {factors::any_bits, factors::near_one,  factors::huge,
                                   factors::tiny,     factors::subnormal, factors::powers,
                                   factors::ones,     factors::mixed};

template <class T>
T make_factor(random_source& random, factors kind) {
  using format = ieee<T>;
  const auto fraction = bits_of<T>(random());
  const bool minus = random.one_in(2);
  switch (kind) {
  case factors::near_one:
    return make<T>(minus, random.between(-1, 0), fraction);
  case factors::huge:
    return make<T>(minus, format::bias, fraction);
  case factors::tiny:
    return make<T>(minus, 1 - format::bias, fraction);
  case factors::subnormal:
    return make<T>(minus, -format::bias, bits_of<T>(fraction | 1));
  case factors::powers:
    return make<T>(minus, random.between(1 - format::bias, format::bias), 0);
  case factors::ones:
    return make<T>(minus, 0, bits_of<T>(random.one_in(2) ? 0 : format::hidden - 1));
  case factors::mixed:
    return make_factor<T>(random, all_factors[random.below(7)]);
  default:
    return make<T>(minus, random.between(1 - format::bias, format::bias), fraction);
  }
}

template <class T>
class float_product : public ::testing::Test {};
using float_types = ::testing::Types<f16, bf16, float, double>;
TYPED_TEST_SUITE(float_product, float_types);

TYPED_TEST(float_product, is_within_its_bound_and_has_the_same_bits_on_every_target) {
  std::uint64_t index = 0;
  for (const std::int64_t n : {1, 2, 3, 5, 63, 64, 65, 127, 200, 2047, 2048, 2113, 9000, 70001})
    for (const factors kind : all_factors) {
      random_source random = source_of(821, index++);
      std::vector<TypeParam> x(std::size_t(n), TypeParam{});
      std::vector<double> values;
      for (auto& element : x) {
        element = make_factor<TypeParam>(random, kind);
        values.push_back(double(plain_value<TypeParam>(reinterpret_cast<std::byte*>(&element))));
      }
      const auto cut = random_cut(random, n);
      const std::string context = "ONEFOLD_TEST_SEED=" + std::to_string(seed()) + ", array " +
                                  std::to_string(index - 1) + ", kind " +
                                  std::to_string(int(kind)) + ", " + std::to_string(n);
      std::vector<std::int64_t> first_words;
      on_each_target([&](const std::string& target) {
        const product got = by_task(dtype_of<TypeParam>, accuracy::exact, x.data(), cut);
        if (first_words.empty()) {
          first_words = words_of(got);
          EXPECT_LE(relative_error_of_product(values, got.pair()), bound(n, cut)) << context;
          EXPECT_GE(std::fabs(got.pair().high), 1);
          EXPECT_LT(std::fabs(got.pair().high), 2);
          EXPECT_EQ(got.pair().high + got.pair().low, got.pair().high);
        }
        EXPECT_EQ(words_of(got), first_words) << context << ", " << target;
        EXPECT_EQ(words_of(by_task(dtype_of<TypeParam>, accuracy::fast, x.data(), cut)),
                  first_words);
      });
    }
}

// What IEEE multiplication says, in any order, of elements that are not all finite and not zero.
template <class T>
bits_of<T> special_product(const std::vector<T>& x, bool omit_nans) {
  using format = ieee<T>;
  bool nan = false, zero = false, infinite = false;
  bits_of<T> sign = 0;
  for (T element : x) {
    const auto magnitude = magnitude_bits(element);
    const bool is_nan = magnitude > format::infinity;
    if (is_nan && omit_nans) continue;
    nan |= is_nan, zero |= magnitude == 0, infinite |= magnitude == format::infinity;
    sign ^= bits_of<T>(as_bits(element) & format::sign);
  }
  if (nan || (zero && infinite)) return format::nan;
  return bits_of<T>(sign | (zero ? 0 : format::infinity));
}

TYPED_TEST(float_product, treats_zeros_infinities_and_nan_as_ieee_multiplication_in_any_order) {
  using format = ieee<TypeParam>;
  for (std::uint64_t index = 0; index < 300; ++index) {
    random_source random = source_of(822, index);
    std::vector<TypeParam> x(1 + random.below(index % 3 ? 150 : 5000));
    for (auto& element : x) element = make_factor<TypeParam>(random, factors::mixed);
    const auto kinds = 1 + random.below(7);
    for (unsigned k = 0; k < 3; ++k) {
      if (!(kinds >> k & 1)) continue;
      const bits_of<TypeParam> special[] = {0, format::infinity, format::nan};
      for (auto times = 1 + random.below(3); times > 0; --times)
        x[random.below(x.size())] = as_float<TypeParam>(
            bits_of<TypeParam>(special[k] | (random.one_in(2) ? format::sign : 0)));
    }
    const auto cut = random_cut(random, std::int64_t(x.size()));
    const product got = by_task(dtype_of<TypeParam>, accuracy::exact, x.data(), cut);
    const bool only_nans = kinds == 4;
    EXPECT_EQ(as_bits(got.value<TypeParam>()), special_product(x, false)) << index;
    if (!only_nans && got.nan_count() < std::int64_t(x.size())) {
      bool special = false;
      for (auto element : x)
        special |= magnitude_bits(element) == 0 || magnitude_bits(element) == format::infinity;
      if (special) {
        EXPECT_EQ(as_bits(got.value<TypeParam>(true)), special_product(x, true)) << index;
      }
    }
  }
}

TEST(float_product_of_nothing, is_one) {
  EXPECT_EQ(product{}.value<double>(), 1);
  EXPECT_EQ(product{}.integer<int>(), 1);
  const float nan = std::nanf("");
  const auto got = by_task(dtype::f32, accuracy::exact, &nan, {1});
  EXPECT_EQ(got.value<float>(true), 1);
  EXPECT_EQ(as_bits(got.value<float>()), ieee<float>::nan);
}

TEST(float_product, neither_overflows_nor_underflows_on_the_way) {
  std::vector<double> x;
  for (int i = 0; i < 3000; ++i) x.push_back(i < 1500 ? 0x1.8p1000 : 0x1p-1001);
  for (int i = 0; i < 1500; ++i) x.push_back(0x1.5555555555555p0);  // 1.5 times this is about 2
  const auto got = by_task(dtype::f64, accuracy::exact, x.data(), {4500});
  const mpz_class numerator("0x15555555555555");  // of 2^-52
  mpz_class total = 1;
  for (int i = 0; i < 1500; ++i) total *= 3 * numerator;
  EXPECT_EQ(as_bits(got.value<double>()), rounded<double>(total, 1500 * (999 - 1001 - 52)));
}

// Pairs whose rounding is hard: ties, ties with the least bit to either side, ends of the formats.
scaled_pair hard_pair(random_source& random) {
  const int precisions[] = {8, 11, 24, 53},
            edges[] = {-1075, -1022, -150, -126, -134, -25, -14, 0, 15, 16, 127, 128, 1023, 1024};
  const int keep = precisions[random.below(4)];
  const std::uint64_t mask = ~std::uint64_t(0) << (53 - keep);
  std::uint64_t fraction = random() >> 12;
  if (random.one_in(2)) fraction &= mask;
  if (random.one_in(2)) fraction |= (std::uint64_t(1) << 52) >> keep;
  if (random.one_in(4)) fraction = ~std::uint64_t(0);
  scaled_pair made;
  made.high = make<double>(random.one_in(2), 0, fraction);
  const int depth = random.one_in(2) ? random.between(-60, -54) : random.between(-1074, -54);
  if (!random.one_in(4)) made.low = any_of_exponent<double>(random, depth);
  if (random.one_in(4)) made.low = power_of_two<double>(random.one_in(2), depth);
  if (random.one_in(8)) made.low = power_of_two<double>(random.one_in(2), -53);
  if (made.high + made.low != made.high) made.low = 0;
  made.exponent = edges[random.below(std::size(edges))] + random.between(-55, 3);
  return made;
}

TYPED_TEST(float_product, is_rounded_once_also_below_the_normal_numbers) {
  for (std::int64_t index = 0; index < cases(40'000); ++index) {
    random_source random = source_of(823, std::uint64_t(index));
    const scaled_pair pair = hard_pair(random);
    const auto [total, exponent] = exact(pair);
    EXPECT_EQ(hex(as_bits(detail::rounded<TypeParam>(pair))),
              hex(rounded<TypeParam>(total, int(exponent))))
        << "ONEFOLD_TEST_SEED=" << seed() << ", pair " << index << ": " << std::hexfloat
        << pair.high << " " << pair.low << " exponent " << pair.exponent;
  }
  EXPECT_EQ(as_bits(detail::rounded<TypeParam>({-1.5, 0, std::int64_t(1) << 61})),
            ieee<TypeParam>::sign | ieee<TypeParam>::infinity);
  EXPECT_EQ(as_bits(detail::rounded<TypeParam>({-1.5, 0, -(std::int64_t(1) << 61)})),
            ieee<TypeParam>::sign);
}

mpz_class product_of(const plain_array& x) {
  mpz_class total = 1;
  for (std::int64_t i = 0; i < x.n && total != 0; ++i) {
    const long double value = x[i];
    mpz_class factor(static_cast<unsigned long>(std::fabs(value)));
    if (value < 0) factor = -factor;
    total *= factor;
  }
  return total;
}

std::uint64_t residue_of(const mpz_class& total) {
  mpz_class low;
  mpz_fdiv_r_2exp(low.get_mpz_t(), total.get_mpz_t(), 64);
  return low.get_ui();
}

// Factors that stay small for long: 1, -1, and now and then something else.
plain_array small_factors(random_source& random, dtype type, std::int64_t n) {
  auto x = make_plain_array(random, type, hard_order::any_bits, n);
  const auto rare = 1 + random.below(40);
  with_type(type, [&]<class T>(detail::tag<T>) {
    for (std::int64_t i = 0; i < n; ++i) {
      std::byte* const at = x.bytes.data() + std::size_t(i) * sizeof(T);
      if constexpr (std::is_same_v<T, bool>) {
        *at = std::byte(3);
      } else if constexpr (std::is_integral_v<T>) {
        T element = std::is_signed_v<T> && random.one_in(2) ? T(-1) : T(1);
        if (random.one_in(rare)) element = T(random() >> (64 - 8 * sizeof(T) + random.below(8)));
        if (random.one_in(500)) element = 0;
        std::memcpy(at, &element, sizeof element);
      }
    }
  });
  return x;
}

TEST(integer_product, is_that_of_gmp_while_64_bits_hold_it_and_zero_wherever_a_zero_is) {
  std::uint64_t index = 0;
  std::int64_t beyond = 0, zeros = 0, within = 0;
  for (const dtype type : all_dtypes)
    for (int k = 0; k < 120 && !is_floating(type); ++k) {
      random_source random = source_of(824, index++);
      const auto x = small_factors(random, type, 1 + std::int64_t(random.below(400)));
      const std::string context = what_failed(x, hard_order::any_bits, index - 1);
      const mpz_class expected = product_of(x);
      const auto cut = random_cut(random, x.n);
      const product got = by_task(type, accuracy::exact, x.bytes.data(), cut);
      const product fast = by_task(type, accuracy::fast, x.bytes.data(), cut);
      const mpz_class magnitude = abs(expected);
      const bool fits_signed = expected >= mpz_class("-9223372036854775808") &&
                               expected <= mpz_class("9223372036854775807");
      EXPECT_EQ(got.beyond(), (magnitude >> 64) != 0) << context;
      EXPECT_EQ(got.fits<std::int64_t>(), fits_signed) << context;
      EXPECT_EQ(got.fits<std::uint64_t>(), expected >= 0 && (magnitude >> 64) == 0) << context;
      EXPECT_EQ(got.fits<std::int8_t>(), expected >= -128 && expected <= 127) << context;
      EXPECT_EQ(got.fits<std::uint8_t>(), expected >= 0 && expected <= 255) << context;
      if (!got.beyond()) {
        EXPECT_EQ(got.integer<std::uint64_t>(), residue_of(expected)) << context;
        EXPECT_EQ(got.negative(), expected < 0) << context;
      }
      EXPECT_EQ(fast.integer<std::uint64_t>(), residue_of(expected)) << context;
      EXPECT_TRUE(fast.fits<std::int8_t>());
      const product again = by_task(type, accuracy::exact, x.bytes.data(), random_cut(random, x.n));
      EXPECT_EQ(again, got) << context << ": another cut, another state";
      beyond += got.beyond(), zeros += expected == 0, within += fits_signed && expected != 0;
    }
  EXPECT_GT(beyond, 0);
  EXPECT_GT(zeros, 0);
  EXPECT_GT(within, 0);
}

TEST(integer_product, is_zero_where_a_zero_comes_after_an_overflow) {
  const std::vector<std::int64_t> x = {1L << 40, 1L << 40, -5, 0, 7}, head(x.begin(), x.end() - 2);
  const auto whole = by_task(dtype::i64, accuracy::exact, x.data(), {5});
  const auto parts = by_task(dtype::i64, accuracy::exact, x.data(), {1, 1, 1, 1, 1});
  const auto over = by_task(dtype::i64, accuracy::exact, head.data(), {2, 1});
  EXPECT_EQ(whole, parts);
  EXPECT_TRUE(whole.fits<std::int64_t>());
  EXPECT_EQ(whole.integer<std::int64_t>(), 0);
  EXPECT_TRUE(over.beyond());
  EXPECT_FALSE(over.fits<std::int64_t>());
}

TEST(product, is_read_back_from_its_words_which_are_plausible) {
  for (const dtype type : all_dtypes)
    for (std::uint64_t k = 0; k < 60; ++k) {
      random_source random = source_of(825, k);
      const auto x = make_plain_array(random, type, hard_orders[k % 10], 1 + std::int64_t(k * 7));
      for (const accuracy how : {accuracy::exact, accuracy::fast}) {
        const auto state = by_task(type, how, x.bytes.data(), random_cut(random, x.n));
        std::int64_t words[product::words];
        int n = 0;
        state.for_each_word([&](std::int64_t word) { words[n++] = word; });
        ASSERT_EQ(n, product::words);
        EXPECT_TRUE(product::plausible(words, type)) << what_failed(x, hard_orders[k % 10], k);
        const std::int64_t* next = words;
        EXPECT_EQ(product::from_words([&] { return *next++; }), state);
        words[random.below(product::words)] = std::int64_t(random());
        if (!product::plausible(words, type)) continue;
        next = words;
        const auto other = product::from_words([&] { return *next++; });
        EXPECT_EQ(words_of(other), std::vector<std::int64_t>(words, words + product::words));
      }
    }
}

TEST(product, refuses_words_that_no_elements_leave) {
  const std::int64_t one = std::int64_t(as_bits(1.0)), two = std::int64_t(as_bits(2.0));
  const std::int64_t half_ulp = std::int64_t(as_bits(0x1p-53)),
                     ulp = std::int64_t(as_bits(0x1p-52));
  const std::int64_t nan = std::int64_t(as_bits(std::nan(""))), floats = 16, integers = 32;
  const auto plausible = [](dtype type, std::initializer_list<std::int64_t> list) {
    std::int64_t words[7];
    std::copy(list.begin(), list.end(), words);
    return product::plausible(words, type);
  };
  EXPECT_TRUE(plausible(dtype::f64, {3, 1, 5, one, half_ulp, 1, floats}));
  EXPECT_FALSE(plausible(dtype::i64, {3, 1, 5, one, half_ulp, 1, floats})) << "pairs of integers";
  EXPECT_FALSE(plausible(dtype::f64, {3, 4, 5, one, half_ulp, 1, floats})) << "too many NaNs";
  EXPECT_FALSE(plausible(dtype::f64, {3, 3, 5, one, 0, 1, floats})) << "a product of NaNs alone";
  EXPECT_FALSE(plausible(dtype::f64, {3, 3, 0, one, 0, 1, floats | 1})) << "a NaN that is a zero";
  EXPECT_FALSE(plausible(dtype::f64, {3, 1, 5, two, 0, 1, floats})) << "not normalised";
  EXPECT_FALSE(plausible(dtype::f64, {3, 1, 5, one, ulp, 1, floats})) << "parts that overlap";
  EXPECT_FALSE(plausible(dtype::f64, {3, 1, 5, one, nan, 1, floats})) << "a NaN in the pair";
  EXPECT_FALSE(plausible(dtype::f64, {3, 1, 9999, one, 0, 1, floats})) << "an exponent too large";
  EXPECT_FALSE(plausible(dtype::f64, {0, 0, 0, one, 0, 1, floats})) << "a form of nothing";
  EXPECT_FALSE(plausible(dtype::f64, {1L << 52, 0, 0, one, 0, 1, floats})) << "too many elements";
  EXPECT_TRUE(plausible(dtype::i64, {3, 0, 0, one, 0, 6, integers}));
  EXPECT_FALSE(plausible(dtype::f64, {3, 0, 0, one, 0, 6, integers})) << "integers of floats";
  EXPECT_FALSE(plausible(dtype::i64, {3, 0, 0, one, 0, 0, integers})) << "zero without its note";
  EXPECT_FALSE(plausible(dtype::i64, {3, 0, 0, one, 0, 6, integers | 9})) << "zero and beyond";
  EXPECT_FALSE(plausible(dtype::u64, {3, 0, 0, one, 0, 6, integers | 4})) << "-6 of naturals";
  EXPECT_TRUE(plausible(dtype::u64, {0, 0, 0, one, 0, 1, 0}));
}

}  // namespace
}  // namespace onefold::test
