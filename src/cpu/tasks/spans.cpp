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
#include <type_traits>

#include "cpu/kernels/targets.hpp"
#include "cpu/tasks/sound.hpp"
#include "runtime/float_environment.hpp"

namespace onefold::cpu {
namespace {

// Two doubles, which every machine with vectors of 128 bits adds at once.
using pair = double __attribute__((vector_size(16)));
using words = std::int64_t __attribute__((vector_size(16)));

constexpr words both_words(std::int64_t word) {
  return words{word, word};
}
pair magnitudes(pair x) {
  return pair(words(x) & both_words(std::numeric_limits<std::int64_t>::max()));
}
constexpr std::int64_t upper_bits = -(std::int64_t(1) << 27);
double upper_half(double x) {
  return std::bit_cast<double>(std::bit_cast<std::int64_t>(x) & upper_bits);
}
pair upper_half(pair x) {
  return pair(words(x) & both_words(upper_bits));
}
double both(pair x) {
  return x[0] + x[1];
}

// high + low + rest = the value, |rest| <= bound. If bound is 0, high + low is the value, and the
// bound covers the rounding of low + bound too.
struct unrounded {
  double high = 0, low = 0, bound = 0;
};

// Source: Knuth's TwoSum.
unrounded two_sum(double a, double b, double bound) {
  const double s = a + b, z = s - a;
  return {s, (a - (s - z)) + (b - z), bound};
}

// x y - product, for factors of 53 bits below 2^990: the upper halves have 26 bits and the lower
// ones 27, so that only the product of the lower ones is rounded, by less than 2^-100 of the
// product, and of a factor of 26 bits nothing. Or by less than 2^-1070 where parts of it are no
// doubles. Source: Dekker's product.
template <class V>
V product_error(V x, V y, V product) {
  const V x_high = upper_half(x), x_low = x - x_high, y_high = upper_half(y), y_low = y - y_high;
  return ((x_high * y_high - product) + x_high * y_low + x_low * y_high) + x_low * y_low;
}

// The product of doubles: value + error, but for 2^-100 of it.
struct product {
  pair value, error;
};
product product_of(pair x, pair y) {
  const pair value = x * y;
  return {value, product_error(x, y, value)};
}

// Up to 64 terms, the last pair filled up with a zero; the sum of their magnitudes, and for floats
// the plain sum.
struct terms {
  alignas(16) pair values[few_floats / 2];
  std::int64_t pairs = 0;
  pair magnitude = {};
  double sum = 0;
  double errors = 0;  // the sum of those of products of doubles
  bool has_errors = false;
};

template <class T>
pair pair_at(const T* x, std::int64_t i) {
  return pair{double(x[i]), double(x[i + 1])};
}

// Calls push(two elements of x, of y) for all, the last with `pad` in place of what is not there.
template <class T, class Push>
[[gnu::always_inline]] inline void for_pairs(const T* x, const T* y, std::int64_t n, double pad,
                                             const Push& push) {
  std::int64_t i = 0;
  for (; i + 2 <= n; i += 2) push(pair_at(x, i), pair_at(y, i));
  if (i < n) push(pair{double(x[i]), pad}, pair{double(y[i]), pad});
}

// The terms term(two of x, two of y): pairs, or products of doubles. That of two pads has to be 0.
template <class T, class Term>
[[gnu::always_inline]] inline void take(const T* x, const T* y, std::int64_t n, double pad,
                                        terms& to, const Term& term) {
  pair sum = {}, magnitude = {}, errors = {};
  std::int64_t pairs = 0;
  for_pairs(x, y, n, pad, [&](pair a, pair b) {
    const auto made = term(a, b);
    pair value;
    if constexpr (std::is_same_v<decltype(made), const product>) {
      value = made.value, errors += made.error, to.has_errors = true;
    } else {
      value = made;
    }
    to.values[pairs++] = value;
    magnitude += magnitudes(value);
    if constexpr (std::is_same_v<T, float>) sum += value;
  });
  to.pairs = pairs, to.sum = both(sum), to.magnitude = magnitude, to.errors = both(errors);
}

// Products of floats are doubles.
void take_products(const float* x, const float* y, std::int64_t n, terms& to) {
  take(x, y, n, 0, to, [](pair a, pair b) { return a * b; });
}

// The lower half of a subnormal factor may be all of it, so that the error of the product is off by
// up to 2^-50. That is within the bound of the sum where no factor is large; else the sum is left
// to others.
void take_products(const double* x, const double* y, std::int64_t n, terms& to) {
  if (x == y) return take(x, x, n, 0, to, [](pair a, pair) { return product_of(a, a); });
  pair factors = {};
  take(x, y, n, 0, to, [&](pair a, pair b) {
    factors += magnitudes(a) + magnitudes(b);
    return product_of(a, b);
  });
  if (!(both(factors) < 0x1p150)) to.magnitude = pair{};
}

template <class T>
void take_elements(const T* x, std::int64_t n, bool positive, terms& to) {
  if (positive)
    take(x, x, n, 0, to, [](pair a, pair) { return magnitudes(a); });
  else
    take(x, x, n, 0, to, [](pair a, pair) { return a; });
}

// --- sums --------------------------------------------------------------------

// Cuts each term at two fixed places; the sums of the two upper parts are exact. Of products, whose
// errors are rounded anyway, only that of the first. False: the sum of magnitudes is beyond 2^-800
// … 2^990. Source: S. M. Rump, T. Ogita, S. Oishi, "Accurate floating-point summation, part I",
// SIAM J. Sci. Comput. 31 (2008).
bool total_of(const terms& terms, unrounded& total) {
  constexpr std::int64_t one = std::int64_t(1) << 52, field = 0x7ff * one;
  const pair magnitude = terms.magnitude + pair{terms.magnitude[1], terms.magnitude[0]};
  if (!(magnitude[0] > 0x1p-800 && magnitude[0] < 0x1p990)) return false;
  const pair cut = pair((words(magnitude) & both_words(field)) + both_words(2 * one));
  const pair cut_2 = pair(words(cut) - both_words(45 * one));
  pair upper = {}, lower = {}, rest = {};
  words left_over = {};
  for (std::int64_t i = 0; i < terms.pairs; ++i) {
    const pair x = terms.values[i], high = (cut + x) - cut, left = x - high;
    upper += high;
    if (terms.has_errors) {
      lower += left;
    } else {
      const pair low = (cut_2 + left) - cut_2, last = left - low;
      lower += low, rest += last, left_over |= words(last);
    }
  }
  // `above` is a multiple of more than the last place of `below`: their sum is Dekker's.
  const double above = both(upper), below = both(lower), high = above + below;
  total = {high, (below - (high - above)) + (both(rest) + terms.errors), 0};
  if (terms.has_errors)
    total.bound = cut[0] * 0x1p-93;
  else if ((left_over[0] | left_over[1]) != 0)
    total.bound = std::fabs(high) * 0x1p-104 + cut[0] * 0x1p-138;
  return true;
}

// n has 7 bits, so that its products with halves of q are exact.
unrounded divided(const unrounded& x, double n) {
  const double inverse = 1 / n, q = x.high * inverse, q_high = upper_half(q);
  const double left = (x.high - q_high * n) - (q - q_high) * n;
  return {q, (left + x.low) * inverse, 2 * x.bound * inverse + std::fabs(q) * 0x1p-100};
}

// q: the root up to 2^-47 of it. Precondition: x > 0.
unrounded root_of(const unrounded& x, double q) {
  const double p = q * q, half = 0.5 / q;
  const double left = (x.high - p) - product_error(q, q, p);
  return {q, (left + x.low) * half, 2 * x.bound * half + q * 0x1p-92};
}

// What total_of() takes does not overflow, and is above 2^-900 where it is certified.
bool round_to(const unrounded& x, double& answer) {
  answer = x.high + (x.low + x.bound);
  return answer == x.high + (x.low - x.bound);
}

bool is_float(float x) {
  return std::fabs(x) <= std::numeric_limits<float>::max() && x != 0;
}

bool round_within(double value, double slack, float& answer) {
  answer = float(value + slack);
  return answer == float(value - slack) && is_float(answer);
}

// Near the middle of two floats the sign of low + rest decides: high is rounded to odd.
bool round_to(const unrounded& x, float& answer) {
  const auto [high, low, bound] = two_sum(x.high, x.low, x.bound);
  if (round_within(high, 2 * (std::fabs(low) + bound) + std::fabs(high) * 0x1p-50, answer))
    return true;
  auto bits = std::bit_cast<std::int64_t>(high);
  if (low != 0 || bound != 0) {
    if (std::fabs(low) <= 2 * bound) return false;
    if (bits % 2 == 0) bits += (low > 0) == (high > 0) ? 1 : -1;
  }
  answer = float(std::bit_cast<double>(bits));
  return is_float(answer);
}

// --- answers -----------------------------------------------------------------

double finished(op op, double sum, std::int64_t n) {
  return op == op::mean ? sum / double(n) : op == op::norm2 ? std::sqrt(sum) : sum;
}

bool plain_answer(op, const terms&, std::int64_t, double&) {
  return false;
}
// Plain sums of up to 64 doubles are off by less than 2^-47 of the sum of magnitudes.
bool plain_answer(op op, const terms& terms, std::int64_t n, float& answer) {
  const double value = finished(op, terms.sum, n);
  return round_within(value, finished(op, both(terms.magnitude), n) * 0x1p-46, answer);
}

// All elements are zeros; products of zeros and others are left to the states. Terms of sums and
// means keep their sign; a sum of -0 only is -0.
template <class T>
bool zero_answer(op op, const T* x, std::int64_t n, T& answer) {
  bool zeros = op != op::dot, minus = op == op::sum || op == op::mean;
  for (std::int64_t i = 0; i < n; ++i) zeros &= x[i] == 0, minus &= std::signbit(x[i]);
  answer = minus ? -T(0) : T(0);
  return zeros;
}

template <class T>
bool sum_answer(op op, const T* x, const T* y, std::int64_t n, T& answer) {
  terms terms;
  const auto accumulator = accumulator_of(op);
  if (accumulator == accumulator::squares || accumulator == accumulator::products)
    take_products(x, accumulator == accumulator::products ? y : x, n, terms);
  else
    take_elements(x, n, op == op::norm1, terms);
  if (plain_answer(op, terms, n, answer)) return true;
  unrounded sum;
  if (!total_of(terms, sum)) return zero_answer(op, x, n, answer);
  if (sum.high == 0 && sum.low == 0 && sum.bound == 0) return answer = 0, true;
  if (op == op::norm2) return round_to(root_of(sum, std::sqrt(both(terms.magnitude))), answer);
  if (op != op::mean) return round_to(sum, answer);
  const bool exact = (n & (n - 1)) == 0;  // a division by a power of two
  if (!exact) return round_to(divided(sum, double(n)), answer);
  const double scale = 1 / double(n);
  return round_to(unrounded{sum.high * scale, sum.low * scale, sum.bound * scale}, answer);
}

// The sum of squares of the distances from m, any number near the mean, less what m is off:
// sum (x - m)^2 - (sum (x - m))^2 / n.
template <class T>
bool squares_of_distances(const T* x, std::int64_t n, unrounded& squares) {
  terms elements, distances;
  take_elements(x, n, false, elements);
  unrounded sum, total;
  if (!total_of(elements, sum)) return false;
  const double count = double(n), m = sum.high / count, p = m * count;
  const double off = ((sum.high - p) - product_error(m, count, p)) + sum.low;
  const pair minus = {-m, -m};
  take(x, x, n, m, distances, [&](pair a, pair) {
    const pair d = a + minus, z = d - a, error = (a - (d - z)) + (minus - z);
    product square = product_of(d, d);
    square.error += 2 * d * error;
    return square;
  });
  if (!total_of(distances, total)) return false;
  const double less = off * off / count;
  squares = two_sum(total.high, total.low - less, 2 * total.bound + less * 0x1p-46);
  return squares.high > 0;
}

bool plain_variance(op, const double*, std::int64_t, double&) {
  return false;
}
// The same in plain doubles. Precondition: not all elements are equal.
bool plain_variance(op op, const float* x, std::int64_t n, float& answer) {
  pair sum = {}, squares = {};
  for_pairs(x, x, n, 0, [&](pair a, pair) { sum += a; });
  const double m = both(sum) / double(n);
  for_pairs(x, x, n, m, [&](pair a, pair) {
    const pair d = a - pair{m, m};
    squares += d * d;
  });
  const double variance = both(squares) / double(n);
  const double value = op == op::stddev ? std::sqrt(variance) : variance;
  return round_within(value, value * 0x1p-39, answer);
}

// std of two elements is half their distance: a tie where it has one bit too many.
template <class T>
bool variance_answer(op op, const T* x, std::int64_t n, T& answer) {
  if (std::all_of(x, x + n, [&](T element) { return element == x[0]; }))
    return answer = 0, std::isfinite(x[0]);
  if (op == op::stddev && n == 2) return answer = std::fabs(x[0] - x[1]) / 2, std::isnormal(answer);
  if (plain_variance(op, x, n, answer)) return true;
  unrounded squares;
  if (!squares_of_distances(x, n, squares)) return false;
  const unrounded variance = divided(squares, double(n));
  if (op == op::var) return round_to(variance, answer);
  return variance.high > 0 && round_to(root_of(variance, std::sqrt(variance.high)), answer);
}

// NaNs are left to others. -0 is less than +0.
template <class T>
bool extremum(op op, const T* x, std::int64_t n, T& answer) {
  pair low = {double(x[0]), double(x[0])}, high = low;
  words nan = {};
  for_pairs(x, x, n, double(x[0]), [&](pair a, pair) {
    low = a < low ? a : low, high = a > high ? a : high, nan |= a != a;
  });
  if ((nan[0] | nan[1]) != 0) return false;
  const T least = T(std::min(low[0], low[1])), largest = T(std::max(high[0], high[1]));
  answer = op == op::min ? least : op == op::max ? largest : std::max(std::fabs(least), largest);
  if (answer == 0) {
    bool some_minus = false, all_minus = op == op::max;
    for (std::int64_t i = 0; i < n; ++i) {
      if (x[i] != 0) continue;
      some_minus |= std::signbit(x[i]), all_minus &= std::signbit(x[i]);
    }
    answer = all_minus || (op == op::min && some_minus) ? -T(0) : T(0);
  }
  return true;
}

bool serves(op op) {
  if (op == op::min || op == op::max || op == op::norminf) return true;
  const auto accumulator = accumulator_of(op);
  return accumulator == accumulator::total || accumulator == accumulator::magnitudes ||
         accumulator == accumulator::squares || accumulator == accumulator::products ||
         accumulator == accumulator::moments;
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
  const auto accumulator = accumulator_of(op);
  const bool done = accumulator == accumulator::extrema   ? extremum(op, x, n, found)
                    : accumulator == accumulator::moments ? variance_answer(op, x, n, found)
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
