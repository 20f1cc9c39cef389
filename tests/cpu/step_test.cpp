// SPDX-License-Identifier: Apache-2.0
// The theorems of the cascade on formats of six to eight bits, for every input there is.
//
// What runs is the template of the hot loops, cascade_step-inl.hpp, on a toy format. A chain of
// `items` elements is searched depth first: what its evidence has refused stays refused.
#include <gtest/gtest.h>

#include <cstdlib>

#include "cpu/kernels/sum/cascade_step-inl.hpp"
#include "support/toy_float.hpp"

namespace onefold::test {
namespace {

using cpu::HWY_NAMESPACE::add_to_level;
using cpu::HWY_NAMESPACE::chain;
using cpu::HWY_NAMESPACE::evidence;
using cpu::HWY_NAMESPACE::step_checks;

template <class F>
bool accepted(const evidence<F>& seen) {
  return (seen.binade.bits & (F::sign | F::infinity)) == 0 && (seen.residual.bits & ~F::sign) == 0;
}

// 1.5 * 2^p.
template <class F>
F start_of(int p) {
  return F::nearest(std::int64_t(3) << (p - 1 - F::lsb));
}

// The exponents of a window's levels, as cascade_window::open sets them for binary64.
template <class F, int Levels>
struct window {
  int p[Levels];

  window(int first, int items_log2, int lowest = F::least) {
    for (int& level : p) {
      level = std::max(first, lowest);
      first = level - (F::precision - 1) + items_log2;
    }
  }
  template <int From, int Count>
  void start(chain<F, Count>& to) const {
    for (int l = 0; l < Count; ++l) to.s[l] = start_of<F>(p[From + l]);
  }
  // What a chain has gained, by the bits, as the counters take it: in units of 2^lsb.
  template <int From, int Count>
  std::int64_t gained(const chain<F, Count>& from) const {
    std::int64_t sum = 0;
    for (int l = 0; l < Count; ++l)
      sum += std::int64_t(from.s[l].bits - start_of<F>(p[From + l]).bits)
             << (p[From + l] - (F::precision - 1) - F::lsb);
    return sum;
  }
};

// Theorem 1: all s and t of one binade, all x.
template <class F>
std::int64_t try_additions() {
  std::int64_t tried = 0;
  for (int p = F::least; p <= F::most; ++p)
    for (int fraction = 0; fraction < F::count; ++fraction)
      for (int x = 0; x < F::count; ++x) {
        const F s{std::uint8_t(fraction)}, element{std::uint8_t(x)};
        const auto in_binade = [&](F v) {
          return v.finite() && v.units() >= std::int64_t(1) << (p - F::lsb) &&
                 v.units() < std::int64_t(2) << (p - F::lsb);
        };
        const F t = Add(s, element);
        if (!in_binade(s) || !in_binade(t)) continue;
        ++tried;
        const F q = Sub(t, s), r = Sub(element, q);
        const bool right = element.finite() && q.units() == t.units() - s.units() &&
                           r.units() == s.units() + element.units() - t.units() &&
                           std::abs(r.units()) << F::precision <= std::int64_t(1) << (p - F::lsb);
        EXPECT_TRUE(right) << "p " << p << ", s " << int(s.bits) << ", x " << x;
        if (!right) return tried;
      }
  return tried;
}

struct counts {
  std::int64_t accepted = 0, refused = 0, wrong = 0;
};

// Theorems 2 and 3: every chain of `items` elements into Levels levels from p_1 = first.
template <class F, int Levels, int ItemsLog2>
class chain_search {
 public:
  explicit chain_search(int first) : window_(first, ItemsLog2) {
    chain<F, Levels> empty;
    window_.template start<0>(empty);
    first_ = empty.s[0];
    extend(empty, {}, 0, 0);
  }
  counts seen;

 private:
  void extend(const chain<F, Levels>& before, const evidence<F>& shown, std::int64_t sum, int j) {
    for (int x = 0; x < F::count; ++x) {
      chain<F, Levels> after = before;
      evidence<F> now = shown;
      const F element{std::uint8_t(x)};
      add_to_level<0, step_checks{true, true}>(element, after, first_, now);
      if (!accepted(now)) {
        ++seen.refused;
        continue;
      }
      check(after, sum + element.units(), j + 1);
      if (j + 1 < 1 << ItemsLog2) extend(after, now, sum + element.units(), j + 1);
    }
  }

  // The sum is exact after every element, and level l >= 2 is within j B of its start.
  void check(const chain<F, Levels>& after, std::int64_t sum, int j) {
    ++seen.accepted;
    bool right = window_.template gained<0>(after) == sum;
    for (int l = 1; l < Levels; ++l) {
      const std::int64_t away = after.s[l].units() - start_of<F>(window_.p[l]).units();
      right &= std::abs(away) << F::precision <= std::int64_t(j) << (window_.p[l - 1] - F::lsb);
    }
    seen.wrong += !right;
  }

  window<F, Levels> window_;
  F first_;
};

template <class F, int Levels, int ItemsLog2>
counts try_chains() {
  counts all;
  for (int first = F::least; first <= F::most; ++first) {
    const chain_search<F, Levels, ItemsLog2> search(first);
    all.accepted += search.seen.accepted;
    all.refused += search.seen.refused;
    all.wrong += search.seen.wrong;
  }
  std::printf("  precision %d, %d levels, chains of %d: %lld chains accepted, %lld refused\n",
              F::precision, Levels, 1 << ItemsLog2, (long long)all.accepted,
              (long long)all.refused);
  return all;
}

// The lemma of moments: every chain of elements, their squares as p + e, into three streams of
// which only the elements' is checked for residue.
template <class F, int Sum, int Main, int ItemsLog2, bool SumChecked = true>
class moments_search {
 public:
  explicit moments_search(int exponent)
      : squares_(2 * exponent + 2 + ItemsLog2, ItemsLog2),
        elements_(exponent + 2 + ItemsLog2, ItemsLog2, least_level(exponent)) {
    streams empty;
    squares_.template start<0>(empty.main);
    squares_.template start<1>(empty.error);
    elements_.template start<0>(empty.sum);
    first_ = empty;
    extend(empty, {}, 0, 0, 0);
  }
  counts seen;

  /// Whether a window can be opened there: all levels in range, errors of products too.
  static bool possible(int exponent) {
    return 2 * exponent + 2 + ItemsLog2 <= F::most && last_unit(exponent) >= F::lsb &&
           exponent + 2 + ItemsLog2 >= least_level(exponent);
  }

 private:
  struct streams {
    chain<F, Main> main;
    chain<F, Main - 1> error;
    chain<F, Sum> sum;
  };

  static constexpr int last_unit(int exponent) {
    const int step = F::precision - 1 - ItemsLog2;
    return 2 * exponent + 2 + ItemsLog2 - step * (Main - 1) - (F::precision - 1);
  }
  // u^2 >= the squares' last unit.
  static constexpr int least_level(int exponent) {
    const int last = last_unit(exponent);
    return (last + (last & 1)) / 2 + F::precision - 1;
  }

  void extend(const streams& before, const evidence<F>& shown, std::int64_t sum,
              std::int64_t squares, int j) {
    for (int i = 0; i < F::count; ++i) {
      const F x{std::uint8_t(i)};
      streams after = before;
      evidence<F> now = shown;
      add_to_level<0, step_checks{true, SumChecked}>(x, after.sum, first_.sum.s[0], now);
      if (!accepted(now)) continue;
      // x^2 in units of 2^(2 lsb), p and e in units of 2^lsb.
      const std::int64_t scale = std::int64_t(1) << -F::lsb, square = x.units() * x.units();
      const F p = F::nearest_quotient(square, scale);
      add_to_level<0, step_checks{true, false}>(p, after.main, first_.main.s[0], now);
      if (!accepted(now)) {
        ++seen.refused;
        continue;
      }
      const F e = F::nearest_quotient(square - p.units() * scale, scale);
      add_to_level<0, step_checks{false, false}>(e, after.error, p, now);
      ++seen.accepted;
      const bool right =
          elements_.template gained<0>(after.sum) == sum + x.units() &&
          (squares_.template gained<0>(after.main) + squares_.template gained<1>(after.error)) *
                  scale ==
              squares + square;
      seen.wrong += !right;
      if (j + 1 < 1 << ItemsLog2) extend(after, now, sum + x.units(), squares + square, j + 1);
    }
  }

  window<F, Main> squares_;
  window<F, Sum> elements_;
  streams first_;
};

template <class F, int Sum, int Main, int ItemsLog2, bool SumChecked = true>
counts try_moments() {
  counts all;
  using search = moments_search<F, Sum, Main, ItemsLog2, SumChecked>;
  for (int exponent = F::least; exponent <= F::most; ++exponent) {
    if (!search::possible(exponent)) continue;
    const search found(exponent);
    all.accepted += found.seen.accepted;
    all.refused += found.seen.refused;
    all.wrong += found.seen.wrong;
  }
  std::printf("  moments, precision %d, %d and %d levels, chains of %d: %lld accepted, %lld "
              "refused, %lld wrong\n",
              F::precision, Sum, Main, 1 << ItemsLog2, (long long)all.accepted,
              (long long)all.refused, (long long)all.wrong);
  return all;
}

TEST(cascade_step, splits_one_addition_exactly_for_every_element_of_the_format) {
  EXPECT_GT((try_additions<toy<3, 2>>()), 400);
  EXPECT_GT((try_additions<toy<3, 3>>()), 1000);
  EXPECT_GT((try_additions<toy<4, 3>>()), 5000);
}

template <class F, int Levels, int ItemsLog2>
void expect_exact_chains() {
  const counts seen = try_chains<F, Levels, ItemsLog2>();
  EXPECT_EQ(seen.wrong, 0);
  EXPECT_GT(seen.accepted, 0);
  EXPECT_GT(seen.refused, 0);
}

TEST(cascade_step, is_exact_for_every_input_where_it_is_accepted) {
  expect_exact_chains<toy<3, 2>, 1, 1>();
  expect_exact_chains<toy<3, 2>, 2, 1>();
  expect_exact_chains<toy<3, 2>, 3, 1>();
  expect_exact_chains<toy<3, 3>, 1, 2>();
  expect_exact_chains<toy<3, 3>, 2, 2>();
  expect_exact_chains<toy<3, 3>, 2, 1>();
  expect_exact_chains<toy<4, 3>, 2, 1>();
  expect_exact_chains<toy<4, 3>, 3, 1>();
  expect_exact_chains<toy<4, 3>, 2, 2>();
}

template <class F, int Sum, int Main, int ItemsLog2>
void expect_exact_moments() {
  const counts seen = try_moments<F, Sum, Main, ItemsLog2>();
  EXPECT_EQ(seen.wrong, 0);
  EXPECT_GT(seen.accepted, 0);
}

TEST(cascade_step, certifies_the_squares_by_the_residual_of_the_elements_for_every_input) {
  expect_exact_moments<toy<4, 3>, 1, 2, 1>();
  expect_exact_moments<toy<4, 3>, 2, 3, 1>();
  expect_exact_moments<toy<4, 3>, 1, 2, 2>();
  expect_exact_moments<toy<4, 3>, 2, 3, 2>();
  expect_exact_moments<toy<4, 2>, 2, 3, 1>();
  expect_exact_moments<toy<5, 2>, 1, 2, 1>();
  expect_exact_moments<toy<5, 2>, 2, 4, 1>();
  expect_exact_moments<toy<5, 2>, 2, 3, 1>();
  EXPECT_GT((try_moments<toy<4, 3>, 1, 2, 1, false>().wrong), 0) << "the check is not needed?";
}

}  // namespace
}  // namespace onefold::test
