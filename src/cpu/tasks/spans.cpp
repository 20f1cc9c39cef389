// SPDX-License-Identifier: Apache-2.0
// A few contiguous floats or doubles: the answer as an unrounded sum of two doubles and an error
// bound, rounded where the bound allows it. docs/numerics/intervals.md, "A few elements", has the
// proof.
#include "cpu/tasks/spans.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "cpu/kernels/targets.hpp"
#include "cpu/tasks/sound.hpp"
#include "runtime/float_environment.hpp"

namespace onefold::cpu {
namespace {

// Two doubles, which every machine with vectors of 128 bits adds at once.
using pair = double __attribute__((vector_size(16)));
using words = std::int64_t __attribute__((vector_size(16)));

constexpr std::int64_t upper_bits = -(std::int64_t(1) << 27);

pair magnitudes(pair x) {
  constexpr std::int64_t mask = std::numeric_limits<std::int64_t>::max();
  return pair(words(x) & words{mask, mask});
}
double upper_half(double x) {
  return std::bit_cast<double>(std::bit_cast<std::int64_t>(x) & upper_bits);
}
pair upper_half(pair x) {
  return pair(words(x) & words{upper_bits, upper_bits});
}
double both(pair x) {
  return x[0] + x[1];
}

// high + low + rest = the value, |rest| <= bound, and high is high + low rounded to nearest.
struct unrounded {
  double high = 0, low = 0, bound = 0;
};

// Source: Knuth's TwoSum.
unrounded two_sum(double a, double b) {
  const double s = a + b, z = s - a;
  return {s, (a - (s - z)) + (b - z)};
}

// x y - product for factors below 2^990 of 53 bits, and products above 2^-900 in magnitude or zero.
// The upper halves have 26 bits and the lower ones 27: only the product of the lower ones is
// rounded, by less than 2^-104 of the product. Source: Dekker's product.
template <class V>
V product_error(V x, V y, V product) {
  const V x_high = upper_half(x), x_low = x - x_high, y_high = upper_half(y), y_low = y - y_high;
  return ((x_high * y_high - product) + x_high * y_low + x_low * y_high) + x_low * y_low;
}

// Up to 64 terms, padded with zeros to whole pairs of pairs, and what is left of them: `rest` is
// the sum of their errors up to 2^-46 of `rests`, that of the errors' magnitudes.
struct terms {
  alignas(16) pair values[few_floats / 2];
  std::int64_t pairs = 0;
  double rest = 0, bound = 0;

  void push(pair two) { values[pairs++] = two; }
  void pad() {
    if (pairs % 2 != 0) push(pair{});
  }
};

double sum_of_magnitudes(const terms& of) {
  pair a = {}, b = {};
  for (std::int64_t i = 0; i < of.pairs; i += 2)
    a += magnitudes(of.values[i]), b += magnitudes(of.values[i + 1]);
  return both(a + b);
}

// Cuts each term at two fixed places; the sums of the two upper parts are exact. Precondition:
// their sum of magnitudes is within 2^-800 … 2^990. Source: S. M. Rump, T. Ogita, S. Oishi,
// "Accurate floating-point summation, part I", SIAM J. Sci. Comput. 31 (2008).
unrounded total_of(const terms& of, double magnitude) {
  const std::int64_t field = std::bit_cast<std::int64_t>(magnitude) >> 52;
  const double place = std::bit_cast<double>((field + 2) << 52), place_2 = place * 0x1p-45;
  const pair cut = {place, place}, cut_2 = {place_2, place_2};
  pair upper = {}, lower = {}, rest = {}, rests = {};
  for (std::int64_t i = 0; i < of.pairs; ++i) {
    const pair x = of.values[i], high = (cut + x) - cut, left = x - high;
    const pair low = (cut_2 + left) - cut_2, last = left - low;
    upper += high, lower += low, rest += last, rests += magnitudes(last);
  }
  const unrounded sum = two_sum(both(upper), both(lower));
  const double less = both(rests) + of.bound, low = sum.low + (both(rest) + of.rest);
  unrounded total = two_sum(sum.high, low);
  // The roundings of `low` and of the sums of rests.
  if (less != 0) total.bound = std::fabs(low) * 0x1p-51 + both(rests) * 0x1p-44 + of.bound;
  return total;
}

// Of a result that is q + correction up to what `bound` and the correction's roundings leave.
unrounded corrected(double q, double correction, double bound) {
  unrounded result = two_sum(q, correction);
  result.bound = 2 * bound + std::fabs(correction) * 0x1p-50;
  return result;
}

unrounded divided(const unrounded& x, double n) {
  const double q = x.high / n, p = q * n;
  const double left = (x.high - p) - product_error(q, n, p);
  return corrected(q, (left + x.low) / n, x.bound / n);
}

// Precondition: x > 0.
unrounded root_of(const unrounded& x) {
  const double q = std::sqrt(x.high), p = q * q;
  const double left = (x.high - p) - product_error(q, q, p);
  return corrected(q, (left + x.low) / (2 * q), x.bound / (2 * q));
}

bool round_to(const unrounded& x, double& answer) {
  const double slack = x.bound == 0 ? 0 : 2 * x.bound + std::fabs(x.low) * 0x1p-50;
  answer = x.high + (x.low + slack);
  return answer == x.high + (x.low - slack) && std::fabs(answer) < 0x1p1000 &&
         std::fabs(answer) > 0x1p-900;
}

// Near the middle of two floats the sign of low + rest decides: high is rounded to odd.
bool round_to(const unrounded& x, float& answer) {
  const double slack = 2 * (std::fabs(x.low) + x.bound) + std::fabs(x.high) * 0x1p-50;
  answer = float(x.high + slack);
  if (answer != float(x.high - slack)) {
    double high = x.high;
    if (x.low != 0 || x.bound != 0) {
      if (std::fabs(x.low) <= 2 * x.bound) return false;
      auto bits = std::bit_cast<std::int64_t>(high);
      if (bits % 2 == 0) bits += (x.low > 0) == (high > 0) ? 1 : -1;
      high = std::bit_cast<double>(bits);
    }
    answer = float(high);
  }
  return std::fabs(answer) <= std::numeric_limits<float>::max() && answer != 0;
}

// --- terms -------------------------------------------------------------------

template <class T>
pair pair_at(const T* x, std::int64_t i) {
  return pair{double(x[i]), double(x[i + 1])};
}

// Calls push(two elements of x, of y) for all, the last with zeros in place of what is not there.
template <class T, class Push>
void for_pairs(const T* x, const T* y, std::int64_t n, const Push& push) {
  std::int64_t i = 0;
  for (; i + 2 <= n; i += 2) push(pair_at(x, i), pair_at(y, i));
  if (i < n) push(pair{double(x[i]), 0}, pair{double(y[i]), 0});
}

template <class T>
void take_elements(const T* x, std::int64_t n, bool positive, terms& to) {
  if (positive)
    for_pairs(x, x, n, [&](pair a, pair) { to.push(magnitudes(a)); });
  else
    for_pairs(x, x, n, [&](pair a, pair) { to.push(a); });
  to.pad();
}

// Products of floats are doubles.
void take_products(const float* x, const float* y, std::int64_t n, terms& to) {
  for_pairs(x, y, n, [&](pair a, pair b) { to.push(a * b); });
  to.pad();
}

// The products and their errors. Below 2^-900 an error may be no double; it is then less than 2^-50
// of that, which the bound exceeds, since the products' magnitudes are 2^-800 together.
class product_terms {
 public:
  explicit product_terms(terms& to) : to_(to) {}
  void push(pair a, pair b, pair more) {
    const pair product = a * b;
    to_.push(product);
    rest_ += product_error(a, b, product) + more;
    sum_ += magnitudes(product);
  }
  // The errors are below 2^-52 of the products, and so is `more` of push.
  void close() {
    to_.pad();
    to_.rest = both(rest_), to_.bound = both(sum_) * 0x1p-96;
  }

 private:
  terms& to_;
  pair rest_ = {}, sum_ = {};
};

bool is_subnormal(double x) {
  const std::uint64_t magnitude = std::bit_cast<std::uint64_t>(x) << 1;
  return magnitude - 1 < (std::uint64_t(1) << 53) - 1;
}

void take_products(const double* x, const double* y, std::int64_t n, terms& to) {
  product_terms products(to);
  for_pairs(x, y, n, [&](pair a, pair b) { products.push(a, b, pair{}); });
  products.close();
  bool subnormal = false;
  for (std::int64_t i = 0; i < n; ++i) subnormal |= is_subnormal(x[i]) || is_subnormal(y[i]);
  // The lower half may be all of a subnormal factor; the error of its product is not small then.
  if (subnormal) to.bound = std::numeric_limits<double>::infinity();
}

bool total_of(const terms& of, unrounded& total) {
  const double magnitude = sum_of_magnitudes(of);
  if (!(magnitude > 0x1p-800 && magnitude < 0x1p990)) return false;
  total = total_of(of, magnitude);
  return total.high != 0;
}

// The sum of squares of the distances from m, any number near the mean, less what m is off:
// sum (x - m)^2 - (sum (x - m))^2 / n.
template <class T>
bool squares_of_distances(const T* x, std::int64_t n, unrounded& squares) {
  terms elements, distances;
  take_elements(x, n, false, elements);
  unrounded sum;
  if (!total_of(elements, sum)) return false;
  const double count = double(n), m = sum.high / count, p = m * count;
  const double off = ((sum.high - p) - product_error(m, count, p)) + sum.low;
  product_terms products(distances);
  const auto push = [&](pair a) {
    const pair minus = {-m, -m}, d = a + minus, z = d - a;
    const pair error = (a - (d - z)) + (minus - z);
    products.push(d, d, 2 * d * error);
  };
  for (std::int64_t i = 0; i + 2 <= n; i += 2) push(pair_at(x, i));
  if (n % 2 != 0) push(pair{double(x[n - 1]), m});
  products.close();
  unrounded total;
  if (!total_of(distances, total)) return false;
  const double less = off * off / count;
  squares = two_sum(total.high, total.low - less);
  squares.bound = 2 * total.bound + less * 0x1p-46;
  return squares.high > 0;
}

// --- answers -----------------------------------------------------------------

template <class T>
bool rounded_mean(const unrounded& sum, std::int64_t n, T& answer) {
  const bool exact = (n & (n - 1)) == 0;  // a division by a power of two
  if (!exact) return round_to(divided(sum, double(n)), answer);
  const double scale = 1 / double(n);
  return round_to(unrounded{sum.high * scale, sum.low * scale, sum.bound * scale}, answer);
}

template <class T>
bool sum_answer(op op, const T* x, const T* y, std::int64_t n, T& answer) {
  terms of;
  unrounded sum;
  const auto accumulator = accumulator_of(op);
  if (accumulator == accumulator::moments) {
    if (!squares_of_distances(x, n, sum)) return false;
    sum = divided(sum, double(n));
    return round_to(op == op::stddev ? root_of(sum) : sum, answer);
  }
  if (accumulator == accumulator::squares || accumulator == accumulator::products) {
    take_products(x, accumulator == accumulator::products ? y : x, n, of);
  } else {
    take_elements(x, n, op == op::norm1, of);
  }
  if (!total_of(of, sum)) return false;
  if (op == op::mean) return rounded_mean(sum, n, answer);
  return round_to(op == op::norm2 ? root_of(sum) : sum, answer);
}

// Zeros of different signs and NaNs are left to others.
template <class T>
bool extremum(op op, const T* x, std::int64_t n, T& answer) {
  T least = x[0], largest = x[0];
  bool nan = false;
  for (std::int64_t i = 0; i < n; ++i) {
    least = x[i] < least ? x[i] : least;
    largest = x[i] > largest ? x[i] : largest;
    nan |= x[i] != x[i];
  }
  answer = op == op::min ? least : op == op::max ? largest : std::max(std::fabs(least), largest);
  return !nan && answer != 0;
}

bool serves(op op) {
  if (op == op::min || op == op::max || op == op::norminf) return true;
  const auto of = accumulator_of(op);
  return of == accumulator::total || of == accumulator::magnitudes || of == accumulator::squares ||
         of == accumulator::products || of == accumulator::moments;
}

// What this_machine() checks.
bool is_sound() {
  static const bool sound = refused_target().empty() && arithmetic_is_sound();
  return sound;
}

template <class T>
bool answer_of(op op, const T* x, const T* y, std::int64_t n, T& answer) {
  if (n < 1 || n > few_floats || !serves(op) || !is_sound()) return false;
  const float_environment sound;
  T found;
  const bool done = accumulator_of(op) == accumulator::extrema ? extremum(op, x, n, found)
                                                               : sum_answer(op, x, y, n, found);
  if (done) answer = found;
  return done;
}

}  // namespace

bool reduce_span(op op, const float* x, const float* y, std::int64_t n, float* answer) {
  return answer_of(op, x, y, n, *answer);
}
bool reduce_span(op op, const double* x, const double* y, std::int64_t n, double* answer) {
  return answer_of(op, x, y, n, *answer);
}

}  // namespace onefold::cpu
