// SPDX-License-Identifier: Apache-2.0
// How far off the dot rungs are where rounding happens: within proven bounds, the exact one not at
// all, and Kahan's formula as published exactly as far as no compensation at all.
//
// The oracle is GMP's rationals. Vectors are far from underflow and overflow, which the bounds ask.

#include "ladder/dot/bounds.hpp"
#include "ladder/dot/errors.hpp"
#include "ladder/dot/ill_conditioned.hpp"
#include "ladder/trial/dot.hpp"
#include "support/oracle.hpp"
#include "support/random.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>

namespace onefold::ladder::test {
namespace {

using onefold::test::as_bits;
using onefold::test::as_float;
using onefold::test::ieee;
using onefold::test::random_source;

constexpr unsigned printed_block = 512;

template <class T>
struct vectors {
  std::vector<T> a, b;
};

/// No zeros, and exponents that leave the errors of products far above the subnormals.
template <class T>
vectors<T> random_vectors(std::size_t n, random_source& random, int exponents) {
  vectors<T> made;
  const auto number = [&] {
    const T fraction = static_cast<T>(1 + random.unit()) * (random.one_in(2) ? -1 : 1);
    return std::ldexp(fraction, random.between(-exponents, exponents));
  };
  for (std::size_t i = 0; i < n; ++i) made.a.push_back(number()), made.b.push_back(number());
  return made;
}

template <class T>
vectors<T> ill_conditioned_vectors(std::size_t n, double condition, std::uint64_t seed) {
  auto made = ill_conditioned<T>(n, condition, std::numeric_limits<T>::digits, seed);
  return {std::move(made.a), std::move(made.b)};
}

/// What the bounds speak of, as rationals.
struct truth {
  mpq_class dot, magnitudes;                       ///< a.b and sum |a b|
  mpq_class rounded_products, rounded_magnitudes;  ///< the same of the products as T has them
};

template <class T>
truth truth_of(const vectors<T>& v) {
  truth t;
  for (std::size_t i = 0; i < v.a.size(); ++i) {
    const mpq_class product = mpq_class(v.a[i]) * mpq_class(v.b[i]);
    const mpq_class rounded(static_cast<T>(v.a[i] * v.b[i]));
    t.dot += product;
    t.magnitudes += abs(product);
    t.rounded_products += rounded;
    t.rounded_magnitudes += abs(rounded);
  }
  return t;
}

template <class T>
T correctly_rounded(const mpq_class& value) {
  const mpz_class scaled = mpq_class(value << (-2 * ieee<T>::lsb)).get_num();
  return as_float<T>(onefold::test::rounded<T>(scaled, 2 * ieee<T>::lsb));
}

trial_options launch(std::size_t n, unsigned block, unsigned max_grid, bool is_float) {
  trial_options options{.n = n, .block = block, .max_grid = max_grid};
  options.type = is_float ? element::float32 : element::float64;
  return options;
}

template <class T>
T dot(const char* rung, const vectors<T>& v, unsigned block = printed_block,
      unsigned max_grid = 2) {
  return dot_by<T>(*find_rung(rung), launch(v.a.size(), block, max_grid, sizeof(T) == 4), v.a, v.b);
}

/// k u / (1 - k u), u half an ulp of 1.
template <class T>
mpq_class g(std::size_t k) {
  const mpq_class ku = mpq_class(k) >> std::numeric_limits<T>::digits;
  return ku / (1 - ku);
}

template <class T>
void expect_within_bounds(const vectors<T>& v, unsigned block, unsigned max_grid) {
  const truth exact = truth_of(v);
  const mpq_class u = mpq_class(1) >> std::numeric_limits<T>::digits;
  const auto off = [&](const char* rung, const mpq_class& from) -> mpq_class {
    return abs(mpq_class(dot(rung, v, block, max_grid)) - from);
  };
  const std::string here = "n " + std::to_string(v.a.size()) + " block " + std::to_string(block) +
                           " max grid " + std::to_string(max_grid);

  const auto grid = static_cast<unsigned>((v.a.size() + block - 1) / block);
  const std::size_t one_product = additions_on_the_way(v.a.size(), block, grid);
  const std::size_t many = additions_on_the_way(v.a.size(), block, std::min(grid, max_grid));
  // N. Higham, "Accuracy and Stability of Numerical Algorithms", 2002, section 3.1: one rounding
  // for the product and one for each addition that it passes.
  for (const char* rung : {"dot/serial", "dot/tree", "dot/conflict-free", "dot/unrolled"}) {
    const std::size_t additions = rung == std::string("dot/serial") ? block + grid : one_product;
    EXPECT_LE(off(rung, exact.dot), g<T>(additions + 1) * exact.magnitudes) << rung << here;
  }
  // ladder/dot/bounds.hpp.
  EXPECT_LE(off("dot/kahan", exact.rounded_products),
            u * abs(exact.rounded_products) +
                (1 + u) * g<T>(2 * many) * g<T>(many) * exact.rounded_magnitudes)
      << here;
  EXPECT_LE(off("dot/two-product", exact.dot),
            u * abs(exact.dot) + (1 + u) * g<T>(2 * many) * g<T>(many + 1) * exact.magnitudes)
      << here;
  EXPECT_EQ(as_bits(dot("dot/exact", v, block, max_grid)), as_bits(correctly_rounded<T>(exact.dot)))
      << here;
}

template <class T>
class dot_errors : public ::testing::Test {};
using floats = ::testing::Types<float, double>;
TYPED_TEST_SUITE(dot_errors, floats);

TYPED_TEST(dot_errors, stay_within_their_bounds_on_random_vectors) {
  random_source random = onefold::test::source_of(301, sizeof(TypeParam));
  for (const std::size_t n : {1, 2, 100, 1000, 3000}) {
    for (const int exponents : {0, 4, 20}) {
      const auto v = random_vectors<TypeParam>(n, random, exponents);
      for (const unsigned block : {1u, 32u, 256u}) {
        for (const unsigned max_grid : {1u, 3u, 1024u}) expect_within_bounds(v, block, max_grid);
      }
    }
  }
}

TYPED_TEST(dot_errors, stay_within_their_bounds_on_vectors_that_cancel) {
  for (const double condition : {1e4, 1e8, 1e12, 1e16}) {
    for (const std::uint64_t seed : {1, 2, 3}) {
      const auto v = ill_conditioned_vectors<TypeParam>(1000, condition, seed);
      expect_within_bounds(v, 64, 2);
      expect_within_bounds(v, 256, 1024);
    }
  }
}

TYPED_TEST(dot_errors, of_kahan_as_published_are_those_of_the_plain_tree_to_the_bit) {
  random_source random = onefold::test::source_of(302, sizeof(TypeParam));
  const auto expect_same_bits = [](const vectors<TypeParam>& v) {
    EXPECT_EQ(as_bits(dot("published/dot-kahan", v)), as_bits(dot("dot/tree", v)));
  };
  for (int round = 0; round < 200; ++round) {
    const std::size_t n = printed_block * (1 + random.below(4));
    expect_same_bits(random_vectors<TypeParam>(n, random, random.between(0, 30)));
  }
  for (const double condition : {1e4, 1e8, 1e12}) {
    for (const std::uint64_t seed : {1, 2, 3}) {
      expect_same_bits(ill_conditioned_vectors<TypeParam>(4096, condition, seed));
    }
  }
}

TYPED_TEST(dot_errors, of_kahan_as_published_lose_the_sign_of_a_zero) {
  const vectors<TypeParam> v{std::vector<TypeParam>(printed_block, TypeParam(-0.0)),
                             std::vector<TypeParam>(printed_block, TypeParam(1))};
  EXPECT_EQ(as_bits(dot("dot/tree", v)), as_bits(TypeParam(-0.0)));
  EXPECT_EQ(as_bits(dot("published/dot-kahan", v)), as_bits(TypeParam(0.0)));
}

TYPED_TEST(dot_errors, of_the_exact_dot_are_none_with_zeros_infinities_and_the_ends_of_the_range) {
  using limits = std::numeric_limits<TypeParam>;
  const TypeParam infinity = limits::infinity(), nan = limits::quiet_NaN();
  const TypeParam least = limits::denorm_min(), most = limits::max();
  const auto exact = [](TypeParam a, TypeParam b, TypeParam c, TypeParam d) {
    return dot<TypeParam>("dot/exact", {{a, b}, {c, d}}, 32);
  };
  EXPECT_EQ(as_bits(exact(-0.0, 0.0, 1, -1)), as_bits(TypeParam(-0.0)));
  EXPECT_EQ(as_bits(exact(-0.0, 0.0, 1, 1)), as_bits(TypeParam(0.0)));
  EXPECT_EQ(as_bits(exact(1, -1, 1, 1)), as_bits(TypeParam(0.0)));
  EXPECT_EQ(exact(most, -most, most, most), 0) << "each product overflows";
  EXPECT_EQ(exact(most, most, most, most), infinity);
  EXPECT_EQ(exact(least, least, 0.5, 0.5), least) << "each product underflows";
  EXPECT_EQ(exact(least, 1, least, 1), 1);
  EXPECT_EQ(exact(infinity, 1, 2, 1), infinity);
  EXPECT_EQ(exact(infinity, 1, -2, 1), -infinity);
  EXPECT_NE(exact(infinity, infinity, 1, -1), exact(infinity, infinity, 1, -1)) << "NaN";
  EXPECT_NE(exact(infinity, 1, 0, 1), exact(infinity, 1, 0, 1)) << "NaN";
  EXPECT_NE(exact(nan, 1, 1, 1), exact(nan, 1, 1, 1));
}

TYPED_TEST(dot_errors, of_the_exact_dot_do_not_depend_on_block_grid_and_schedule) {
  const auto v = ill_conditioned_vectors<TypeParam>(1000, 1e12, 9);
  const auto bits = as_bits(dot("dot/exact", v));
  for (const unsigned block : {1u, 32u, 1024u}) {
    for (const unsigned max_grid : {1u, 7u}) {
      for (const auto order : {simt::schedule::shuffled, simt::schedule::lockstep}) {
        trial_options options = launch(1000, block, max_grid, sizeof(TypeParam) == 4);
        options.order = order;
        EXPECT_EQ(as_bits(dot_by<TypeParam>(*find_rung("dot/exact"), options, v.a, v.b)), bits);
      }
    }
  }
}

}  // namespace
}  // namespace onefold::ladder::test
