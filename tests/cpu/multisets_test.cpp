// SPDX-License-Identifier: Apache-2.0
// Random multisets of elements: one state of logsumexp by every SIMD target in any order, from any
// cut whose states or words are combined in any tree, and over 2 to 5 ranks; its logarithm within
// its bound of MPFR's.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "collective/parts.hpp"
#include "cpu/exponentials.hpp"
#include "support/each_target.hpp"
#include "support/oracle.hpp"
#include "support/real_oracle.hpp"

namespace onefold::test {
namespace {

constexpr int orders = 20, cuts = 20;

enum class family { usual, equal, near_tie, log_probabilities, huge, bands, infinities, one_nan };
constexpr int families_in_all = int(family::one_nan) + 1;

/// Appends elements until log(sum of exp(x)) is next to `from` + log(1 + more), where `from` is the
/// logarithm now: each is a little less than what is missing, so it lacks some bits less.
template <class T>
void approach(std::vector<T>& x, double from, double more) {
  const double unit = std::exp2(-ieee<T>::fraction_bits);
  for (int k = 0; k < 8 && more > 0; ++k) {
    const double missing = from + std::log(more);
    const T next = chopped<T>(missing - std::fabs(missing) * unit);
    x.push_back(next);
    more -= std::exp(double(wide(next)) - from);
  }
}

double logarithm_of(const std::vector<double>& x) {
  const double most = *std::max_element(x.begin(), x.end());
  double sum = 0;
  for (const double each : x) sum += std::exp(each - most);
  return most + std::log(sum);
}

template <class T>
double logarithm_of(const std::vector<T>& x) {
  std::vector<double> values;
  for (const T& each : x) values.push_back(double(wide(each)));
  return logarithm_of(values);
}

// The answer is next to the middle between two numbers of the format.
template <class T>
void approach_tie(random_source& random, std::vector<T>& x) {
  if (random.one_in(2)) x = {any_of_exponent<T>(random, random.between(-4, 6))};
  const double now = x.size() == 1 ? double(wide(x[0])) : logarithm_of(x);
  const double unit = std::exp2(std::ilogb(now == 0 ? 1 : now) - ieee<T>::fraction_bits);
  const double below = std::floor(now / unit) * unit;
  const double more = below + unit / 2 - now;  // of one element, which is a number, half a unit
  approach(x, now, std::expm1(more > 0 ? more : more + unit));
}

// A multiple of a unit, of 256 where bands meet, or a number next to it.
template <class T>
T next_to_edge(random_source& random, double unit) {
  const int multiple = random.between(-3, 3);
  const auto edge = as_bits(chopped<T>(unit * multiple));
  return as_float<T>(bits_of<T>(multiple == 0 ? edge : edge + random.between(-1, 1)));
}

template <class T>
std::vector<T> make_floats(random_source& random, family kind, std::size_t n) {
  using format = ieee<T>;
  std::vector<T> x(n);
  const double unit = random.one_in(4) ? std::exp2(random.between(9, 14)) : 256;
  for (T& each : x)
    each = kind == family::huge
               ? any_of_exponent<T>(random, random.between(-format::bias, format::bias))
           : kind == family::bands ? next_to_edge<T>(random, unit)
                                   : chopped<T>(random.normal() * 3);
  const T minus = as_float<T>(bits_of<T>(format::sign | format::infinity));
  switch (kind) {
  case family::equal:
    x.assign(n, random.one_in(2) ? x[0] : chopped<T>(-std::log(double(n))));
    break;
  case family::near_tie:
    approach_tie(random, x);
    break;
  case family::log_probabilities: {
    const double all = logarithm_of(x) + std::exp2(-random.between(1, 12));
    for (T& each : x) each = chopped<T>(double(wide(each)) - all);
    const double now = logarithm_of(x);
    approach(x, now, std::expm1(-now));
    break;
  }
  case family::infinities:
    for (T& each : x)
      if (random.one_in(2)) each = minus;
    break;
  case family::one_nan:
    x[random.below(n)] = as_float<T>(bits_of<T>(format::nan + random.below(2)));
    break;
  default:
    break;
  }
  return x;
}

template <class T>
std::vector<T> make_integers(random_source& random, family kind, std::size_t n) {
  std::vector<T> x(n);
  const int bits = random.between(1, int(8 * sizeof(T)));
  for (T& each : x) {
    const auto any = std::int64_t(random());
    switch (kind) {
    case family::equal:
      each = x[0];
      break;
    case family::huge:
      each = T(any);
      break;
    case family::bands:
      each = T(256 * random.between(-5, 5) + random.between(-1, 1));
      break;
    default:
      each = T(any >> (64 - bits));
    }
  }
  return x;
}

template <class T>
std::vector<T> make_multiset(random_source& random, family kind) {
  const double most = random.one_in(50) ? 6000 : 600;
  const auto n = std::size_t(std::exp(random.unit() * std::log(most)));
  if constexpr (std::is_integral_v<T>)
    return make_integers<T>(random, kind, n);
  else
    return make_floats<T>(random, kind, n);
}

void use_any_target(random_source& random) {
  cpu::use_table(*cpu::tables()[random.below(cpu::tables().size())]);
}

template <class T>
void expect_any_order(random_source& random, std::vector<T> x, const sum_of<T>& wanted) {
  const auto n = std::int64_t(x.size());
  for (int k = 0; k < orders; ++k) {
    const std::int64_t piece = random.one_in(2) ? n : 1 + std::int64_t(random.below(2000));
    on_each_target([&](const std::string& target) {
      ASSERT_TRUE(by_task(x.data(), n, piece) == wanted) << target << ", order " << k;
    });
    shuffle(random, x.data(), x.size());
  }
}

state merged(random_source& random, std::vector<state> parts) {
  while (parts.size() > 1) {
    std::swap(parts[random.below(parts.size())], parts.back());
    const state last = std::move(parts.back());
    parts.pop_back();
    parts[random.below(parts.size())].merge(last);
  }
  return parts.front();
}

state added(random_source& random, const std::vector<state>& parts) {
  std::int64_t band = detail::no_band;
  for (const state& part : parts) band = std::max(band, additive_band(part).value());
  std::vector<word_group> groups;
  for (const state& part : parts) groups.push_back(to_additive(part, band));
  return from_additive(combined(random, groups, add_words)).value();
}

template <class T>
void expect_any_cut(random_source& random, std::vector<T> x, const std::vector<std::byte>& wanted) {
  for (int k = 0; k < cuts; ++k) {
    shuffle(random, x.data(), x.size());
    const auto places = any_cuts(random, x.size(), 8);
    std::vector<state> parts;
    for (std::size_t i = 0; i + 1 < places.size(); ++i) {
      use_any_target(random);
      parts.push_back(state_of(op::logsumexp, x, places[i], places[i + 1]));
    }
    ASSERT_EQ(merged(random, parts).bytes(), wanted) << "cut " << k;
    ASSERT_EQ(added(random, parts).bytes(), wanted) << "words of cut " << k;
  }
}

template <class T>
void expect_any_ranks(random_source& random, const std::vector<T>& x,
                      const std::vector<std::byte>& wanted) {
  for (std::size_t ranks = 2; ranks <= 5; ++ranks) {
    std::vector<std::vector<T>> own(ranks);
    for (const T& each : x) own[random.below(ranks)].push_back(each);
    std::vector<state> parts;
    for (const auto& elements : own) {
      use_any_target(random);
      parts.push_back(state_of(op::logsumexp, elements, 0, elements.size()));
    }
    ASSERT_EQ(added(random, parts).bytes(), wanted) << ranks << " ranks";
  }
}

// The error of the logarithm of the finite elements, and the rounding of it.
template <class T>
void expect_bound(const std::vector<T>& x, const sum_of<T>& sum, double& worst) {
  std::vector<double> finite;
  for (const T& each : x)
    if (std::isfinite(double(wide(each)))) finite.push_back(double(wide(each)));
  if (finite.empty()) return;
  const auto result = sum.logarithm();
  const double error = error_of_log_sum(finite, result);
  ASSERT_LE(error, bound<T>(result));
  worst = std::max(worst, error - std::fabs(result.high) * 0x1p-100);
  using answer = std::conditional_t<std::is_integral_v<T>, double, T>;
  if (finite.size() < 2) return;
  const auto [total, exponent] = exact(result);
  ASSERT_EQ(hex(as_bits(sum.template value<answer>(true))),
            hex(rounded<answer>(total, int(exponent))));
}

template <class T>
class multisets : public ::testing::Test {
 protected:
  void TearDown() override { cpu::use_table(before_); }

 private:
  const cpu::kernel_table& before_ = cpu::active_table();
};
using element_types =
    ::testing::Types<f16, bf16, float, double, std::int8_t, std::int16_t, std::int32_t,
                     std::int64_t, std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>;
TYPED_TEST_SUITE(multisets, element_types);

// A hundred times as many by `make test-long`, in all 10^5: results in multisets.txt.
TYPED_TEST(multisets, have_one_state_and_its_bound) {
  using T = TypeParam;
  const std::int64_t all = cases(std::is_integral_v<T> ? 25 : 200, families_in_all);
  double worst = 0;
  for (std::int64_t k = 0; k < all; ++k) {
    SCOPED_TRACE("ONEFOLD_TEST_SEED=" + std::to_string(seed()) + ", multiset " + std::to_string(k));
    random_source random = source_of(840 + std::uint64_t(dtype_of<T>), std::uint64_t(k));
    const auto x = make_multiset<T>(random, family(k % families_in_all));
    const sum_of<T> sum = by_adding(x);
    const state whole = state_of(op::logsumexp, x, 0, x.size());
    ASSERT_TRUE(std::get<sum_of<T>>(detail::state_access::known(whole)) == sum);
    expect_bound(x, sum, worst);
    expect_any_order(random, x, sum);
    expect_any_cut(random, x, whole.bytes());
    expect_any_ranks(random, x, whole.bytes());
    if (this->HasFatalFailure()) return;
  }
  std::printf("  %s: %lld multisets, %d orders on %zu targets, %d cuts, 2 to 5 ranks: one state; "
              "largest error 2^%.2f\n",
              std::string(name(dtype_of<T>)).c_str(), (long long)all, orders, cpu::tables().size(),
              cuts, std::log2(worst));
}

}  // namespace
}  // namespace onefold::test
