// SPDX-License-Identifier: Apache-2.0
// The error bounds of docs/numerics/fast.md, Theorems F2 to F4, against floats of GMP that hold
// every sum here exactly.
#include <gmpxx.h>
#include <gtest/gtest.h>

#include <cmath>

#include "cpu/tasks/tasks.hpp"
#include "runtime/float_environment.hpp"
#include "state/chunk_tree.hpp"
#include "state/states.hpp"
#include "support/elements.hpp"
#include "support/fast_model.hpp"

namespace onefold::test {
namespace {

// Elements here are below 2^90 and multiples of 2^-160: their squares have fewer than 600 bits.
constexpr unsigned precision = 1024;

mpf_class exact(double x) {
  return mpf_class(x, precision);
}

template <class T>
struct run_of {
  using number = typename fast_model<T>::accumulator;
  static constexpr double u = sizeof(number) == 4 ? 0x1p-24 : 0x1p-53;
  static constexpr double eta = sizeof(number) == 4 ? 0x1p-149 : 0x1p-1074;

  std::vector<T> x, y;
  std::int64_t levels() const {
    std::int64_t chunks = (std::int64_t(x.size()) + 65535) / 65536, levels = 0;
    while ((std::int64_t(1) << levels) < chunks) ++levels;
    return levels;
  }

  ordered_state reduced(accumulator accumulator) const {
    const float_environment sound;
    const auto task = cpu::make_fast_task(accumulator, dtype_of<T>);
    chunk_tree tree(empty_ordered_state(accumulator, dtype_of<T>));
    for (std::size_t i = 0; i < x.size(); i += 65536)
      tree.push(
          task->take({&x[i], &y[i], std::int64_t(std::min<std::size_t>(65536, x.size() - i)), 0}));
    return tree.value();
  }
  mpf_class sum(accumulator accumulator) const {
    return exact(double(std::get<fast_total<number>>(reduced(accumulator)).value));
  }
};

mpf_class gamma_of(std::int64_t k, double u) {
  const mpf_class ku = exact(double(k)) * exact(u);
  return ku / (1 - ku);
}

// The largest share of its bound that an error took, so that a test may see whether it saw any.
struct shares {
  double largest = 0;
  void add(const mpf_class& error, const mpf_class& bound, const std::string& context) {
    EXPECT_LE(error, bound) << context << ", ONEFOLD_TEST_SEED=" << seed();
    if (bound > 0) largest = std::max(largest, mpf_class(error / bound).get_d());
  }
};

template <class T, class Term>
void try_sum(const run_of<T>& run, accumulator accumulator, bool products, const Term& term,
             shares& seen, const std::string& context) {
  mpf_class total = exact(0), magnitudes = exact(0);
  for (std::size_t i = 0; i < run.x.size(); ++i) {
    const mpf_class t = term(exact(widened(run.x[i])), exact(widened(run.y[i])));
    total += t;
    magnitudes += abs(t);
  }
  const std::int64_t d = 1029 + run.levels() + (products ? 1 : 0);
  mpf_class bound = gamma_of(d, run.u) * magnitudes;
  if (products) bound += exact(double(run.x.size())) * exact(run.eta);
  seen.add(abs(run.sum(accumulator) - total), bound, context);
}

template <class T>
double largest_distance_in_a_chunk(const std::vector<T>& x) {
  double largest = 0;
  for (std::size_t i = 0; i < x.size(); i += 65536) {
    double low = widened(x[i]), high = low;
    for (std::size_t k = i; k < std::min(i + 65536, x.size()); ++k)
      low = std::min(low, double(widened(x[k]))), high = std::max(high, double(widened(x[k])));
    largest = std::max(largest, std::nextafter(high - low, HUGE_VAL));
  }
  return largest;
}

template <class T>
void try_moments(const run_of<T>& run, shares& means, shares& squares, const std::string& context) {
  const auto got =
      std::get<fast_moments<typename run_of<T>::number>>(run.reduced(accumulator::moments));
  const mpf_class n = exact(double(run.x.size()));
  mpf_class sum = exact(0), largest = exact(0), v = exact(0);
  for (T x : run.x)
    sum += exact(widened(x)), largest = std::max(largest, mpf_class(abs(exact(widened(x)))));
  const mpf_class mean = sum / n;
  for (T x : run.x) v += (exact(widened(x)) - mean) * (exact(widened(x)) - mean);

  const std::int64_t levels = run.levels(), g = 1032 + 2 * levels;
  mpf_class e =
      gamma_of(1032, run.u) * exact(largest_distance_in_a_chunk(run.x)) + exact(run.u) * largest;
  for (std::int64_t l = 0; l < levels; ++l) e += (largest + e) * gamma_of(6, run.u);
  means.add(abs(exact(double(got.mean)) - mean), e, "mean, " + context);
  const mpf_class gamma = gamma_of(g, run.u), l = exact(double(levels));
  const mpf_class bound =
      gamma * v + (1 + gamma) * (2 * l * e * sqrt(mpf_class(n * v)) + (l + 1) * n * e * e);
  squares.add(abs(exact(double(got.squares)) - v), bound, "squares, " + context);
}

enum class kind { one_sign, both_signs, wide, drift, equal, far, two_values, outlier };
constexpr kind all_kinds[] = {kind::one_sign, kind::both_signs, kind::wide,       kind::drift,
                              kind::equal,    kind::far,        kind::two_values, kind::outlier};

template <class T>
T make_element(random_source& random, kind which, std::size_t i) {
  switch (which) {
  case kind::one_sign:
    return as_float<T>(magnitude_bits(any_of_exponent<T>(random, -1)));
  case kind::wide:
    return any_of_exponent<T>(random, random.between(-12, 12));
  case kind::drift:
    return chopped<T>(1 + double(i) / 30000);
  case kind::equal:
    return chopped<T>(0.1);
  case kind::far:
    return chopped<T>(1000 + random.unit());
  case kind::two_values:
    return chopped<T>(i < 65536 ? 1.3 : 900.7);
  case kind::outlier:
    return chopped<T>(i == 0 ? 30000 : random.unit());
  default:
    return any_of_exponent<T>(random, -1);
  }
}

template <class T>
class fast_bounds : public testing::Test {};
using floats = testing::Types<f16, bf16, float, double>;
TYPED_TEST_SUITE(fast_bounds, floats);

TYPED_TEST(fast_bounds, hold_for_every_operator) {
  shares sums, products, means, squares;
  std::uint64_t index = 0;
  for (const std::size_t n : {1, 2, 77, 5000, 65536, 140000})
    for (const kind which : all_kinds) {
      ++index;
      if (n > 5000 && !is_taken(index)) continue;
      random_source random = source_of(680 + sizeof(TypeParam), index);
      run_of<TypeParam> run;
      for (std::size_t i = 0; i < n; ++i) {
        run.x.push_back(make_element<TypeParam>(random, which, i));
        run.y.push_back(make_element<TypeParam>(random, kind::both_signs, i));
      }
      const auto context = std::to_string(n) + " elements of kind " + std::to_string(int(which));
      const auto first = [](const auto& x, const auto&) { return x; };
      try_sum(run, accumulator::total, false, first, sums, "total, " + context);
      try_sum(
          run, accumulator::magnitudes, false,
          [](const auto& x, const auto&) { return mpf_class(abs(x)); }, sums,
          "magnitudes, " + context);
      try_sum(
          run, accumulator::squares, true,
          [](const auto& x, const auto&) { return mpf_class(x * x); }, products,
          "squares, " + context);
      try_sum(
          run, accumulator::products, true,
          [](const auto& x, const auto& y) { return mpf_class(x * y); }, products,
          "products, " + context);
      try_moments(run, means, squares, context);
    }
  if (!is_taken(1)) return;  // a run of few cases
  // Errors that a bound of a hundredth or less would still hold are no test of it.
  for (const auto* seen : {&sums, &products, &means}) EXPECT_GT(seen->largest, 0.005);
  EXPECT_GT(squares.largest, 0.0002);
}

}  // namespace
}  // namespace onefold::test
