// SPDX-License-Identifier: Apache-2.0
// The theorem of the interval, checked on every sequence of a 6-bit floating type; and that each of
// its parts is needed, there and in the loops themselves.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "cpu/batched_suite.hpp"
#include "cpu/kernels/batched/batched_shapes-inl.hpp"
#include "support/families.hpp"

namespace onefold::test {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// Sign, 3 bits of exponent, 2 of fraction; in units of the least subnormal. The output has one bit
// of fraction and a narrower range. Doubles hold toys, and add two of them exactly.
struct toy {
  static std::vector<double> magnitudes(int fields, int fraction_bits, int unit) {
    std::vector<double> all;
    for (int field = 0; field < fields; ++field)
      for (int f = 0; f < 1 << fraction_bits; ++f)
        all.push_back(unit * (field == 0 ? f : std::ldexp((1 << fraction_bits) + f, field - 1)));
    return all;
  }
};

const std::vector<double>& wide() {
  static const auto all = toy::magnitudes(7, 2, 1);
  return all;
}
const std::vector<double>& narrow() {
  static const auto all = toy::magnitudes(6, 1, 4);
  return all;
}

double rounded_up(double x) {
  if (x == 0 || !std::isfinite(x)) return x;
  if (x < 0) {
    double best = 0;
    for (double m : wide())
      if (m <= -x) best = m;
    return -best;
  }
  for (double m : wide())
    if (m >= x) return m;
  return infinity;
}

// To nearest, ties to the even pattern; above the largest lies the next power of two, infinity.
double rounded_to(const std::vector<double>& format, double x) {
  if (x == 0 || !std::isfinite(x)) return x;
  const double m = std::fabs(x);
  const double beyond = 2 * format.back() - format[format.size() - 2];
  std::size_t i = format.size() - 1;
  while (format[i] > m) --i;
  const double above = i + 1 < format.size() ? format[i + 1] : beyond;
  const double low = m - format[i], high = above - m;
  const bool up = high < low || (high == low && i % 2 == 1);
  const double result = !up ? format[i] : i + 1 < format.size() ? above : infinity;
  return std::copysign(m >= beyond ? infinity : result, x);
}

struct rules {
  bool upward = true;    // u and minus_d are rounded upward, not to nearest
  bool bits = true;      // ends agree in the sign of zero too
  bool same_end = true;  // u == d is a decision
};

struct counts {
  std::int64_t sequences = 0, plan = 0, wrong = 0;
};

bool same(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b));
}

struct exact_sum_of_terms {
  double sum = 0;
  bool plus = false, minus = false, nan = false, only_minus_zeros = true;
  double value() const {
    if (nan || (plus && minus)) return std::nan("");
    if (plus || minus) return plus ? infinity : -infinity;
    if (sum == 0) return only_minus_zeros ? -0.0 : 0.0;
    return rounded_to(narrow(), sum);
  }
  exact_sum_of_terms with(double x) const {
    exact_sum_of_terms next = *this;
    if (std::isnan(x)) next.nan = true;
    if (std::isinf(x)) (x > 0 ? next.plus : next.minus) = true;
    if (std::isfinite(x)) next.sum += x;
    if (!(x == 0 && std::signbit(x))) next.only_minus_zeros = false;
    return next;
  }
};

class every_sequence {
 public:
  explicit every_sequence(rules kept) : kept_(kept) {
    for (double m : wide()) elements_.push_back(m), elements_.push_back(-m);
    elements_.insert(elements_.end(), {infinity, -infinity, std::nan("")});
    for (int i = -most; i <= most; ++i) {
      up_.push_back(kept.upward ? rounded_up(i) : rounded_to(wide(), i));
      out_.push_back(rounded_to(narrow(), i));
    }
  }
  counts of_length(int length) {
    seen_ = {};
    extend(length, -0.0, 0.0, exact_sum_of_terms());
    return seen_;
  }

 private:
  static constexpr int most = 2 * 224;

  double step(double x) const {
    return x == 0 || !std::isfinite(x) ? x : up_[std::size_t(int(x) + most)];
  }
  double out(double x) const {
    return x == 0 || !std::isfinite(x) ? x : out_[std::size_t(int(x) + most)];
  }
  void extend(int left, double u, double minus_d, const exact_sum_of_terms& exact) {
    if (left == 0) return judge(u, minus_d, exact.value());
    for (double x : elements_) extend(left - 1, step(u + x), step(minus_d - x), exact.with(x));
  }
  void judge(double u, double minus_d, double expected) {
    const double above = out(u), below = out(-minus_d);
    const bool agree = kept_.bits ? same(above, below)
                                  : above == below || (std::isnan(above) && std::isnan(below));
    const bool plan = agree || (kept_.same_end && u == -minus_d);
    ++seen_.sequences, seen_.plan += plan;
    seen_.wrong += plan && !same(above, expected);
  }

  rules kept_;
  std::vector<double> elements_, up_, out_;
  counts seen_;
};

TEST(interval_sum, certifies_no_sequence_of_a_six_bit_type_wrongly) {
  every_sequence all(rules{});
  for (int length = 1; length <= 4; ++length) {
    const counts seen = all.of_length(length);
    EXPECT_EQ(seen.wrong, 0) << "length " << length;
    EXPECT_GT(3 * seen.plan, seen.sequences) << "length " << length;
    if (length == 1) {
      EXPECT_EQ(seen.plan, seen.sequences);
    }
  }
}

TEST(interval_sum, with_zeros_compared_as_values_is_wrong) {
  EXPECT_GT(every_sequence({true, false, true}).of_length(3).wrong, 0);
}
TEST(interval_sum, rounded_to_nearest_is_wrong) {
  EXPECT_GT(every_sequence({false, true, true}).of_length(3).wrong, 0);
}
TEST(interval_sum, without_the_rule_of_equal_ends_certifies_less) {
  const auto with = every_sequence({true, true, true}).of_length(3);
  const auto without = every_sequence({true, true, false}).of_length(3);
  EXPECT_EQ(without.wrong, 0);
  EXPECT_LT(without.plan, with.plan);
}

// The loops themselves, of this file's SIMD target, in either rounding mode.
template <rounding Mode>
std::int64_t wrong_sums() {
  using sum = cpu::HWY_NAMESPACE::interval_sum_of<Mode>;
  std::int64_t wrong = 0;
  for (const auto& family : families<float>()) {
    for (std::uint64_t index = 0; index < 40; ++index) {
      random_source random = source_of(1600, index);
      const std::int64_t n = random.between(2, 40), rows = 20;
      std::vector<float> x(std::size_t(n * rows));
      for (std::int64_t k = 0; k < rows; ++k) family.fill(random, x.data() + k * n, std::size_t(n));
      const auto got = run(cpu::HWY_NAMESPACE::take_block<onefold::accumulator::total, sum, float>,
                           rows_of(x, x, rows, n, 0, {}));
      for (std::int64_t k = 0; k < rows; ++k) {
        exact_sum<float> exact;
        for (std::int64_t i = 0; i < n; ++i) exact.add(x[std::size_t(k * n + i)]);
        wrong += !got.ambiguous[std::size_t(k)] && output<float>(got, k) != as_bits(exact.value());
      }
    }
  }
  return wrong;
}

TEST(interval_sum, of_the_loops_needs_the_upward_mode) {
  EXPECT_EQ(wrong_sums<rounding::up>(), 0) << "ONEFOLD_TEST_SEED=" << seed();
  EXPECT_GT(wrong_sums<rounding::nearest>(), 0) << "ONEFOLD_TEST_SEED=" << seed();
}

// 1 + 2^-60 up is the next double, and down (as the negation of up) is 1: no compiler folded it.
TEST(interval_sum, is_not_folded_by_the_compiler) {
  volatile double one = 1, tiny = 0x1p-60;
  using vector_tag = cpu::HWY_NAMESPACE::f64_tag;
  namespace hn = hwy::HWY_NAMESPACE;
  const rounding_scope up(rounding::up);
  auto sum = cpu::HWY_NAMESPACE::interval_sum::start();
  sum.add(hn::Set(vector_tag(), double(one)));
  sum.add(hn::Set(vector_tag(), double(tiny)));
  EXPECT_EQ(hn::GetLane(sum.u), 1 + 0x1p-52);
  EXPECT_EQ(-hn::GetLane(sum.minus_d), 1);
}

}  // namespace
}  // namespace onefold::test
