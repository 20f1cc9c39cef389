// SPDX-License-Identifier: Apache-2.0
// Arrays of every element type that are hard on comparisons, and what minima, maxima, counts and
// bitwise folds of them are: by plain comparisons of long doubles, element by element.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "support/elements.hpp"
#include "support/random.hpp"

namespace onefold::test {

/// The value of an element; exact, because a long double has 64 bits here or is wide enough for
/// the integers that the tests of such a machine draw. Any byte but zero is true.
template <class T>
long double plain_value(const std::byte* at) {
  if constexpr (std::is_same_v<T, bool>) {
    return *at != std::byte(0);
  } else {
    T x;
    std::memcpy(&x, at, sizeof x);
    if constexpr (std::is_arithmetic_v<T>) {
      return static_cast<long double>(x);
    } else {
      using format = ieee<T>;
      const int field = (x.bits & ~format::sign) >> format::fraction_bits;
      const int fraction = x.bits & (format::hidden - 1);
      const long double sign = (x.bits & format::sign) ? -1 : 1;
      if (field == format::special)
        return fraction ? std::numeric_limits<long double>::quiet_NaN()
                        : sign * std::numeric_limits<long double>::infinity();
      const int whole = field ? fraction + format::hidden : fraction;
      return sign *
             std::ldexp(static_cast<long double>(whole), std::max(field, 1) - 1 + format::lsb);
    }
  }
}

/// An array as bytes.
struct plain_array {
  dtype type = dtype::f64;
  std::vector<std::byte> bytes;
  std::int64_t n = 0;

  const std::byte* at(std::int64_t i) const {
    return bytes.data() + std::size_t(i) * size_bytes(type);
  }
  long double operator[](std::int64_t i) const {
    return with_type(type, [&]<class T>(detail::tag<T>) { return plain_value<T>(at(i)); });
  }
};

/// The ways in which comparisons can go wrong.
enum class hard_order {
  any_bits,
  few_values,
  one_value,
  nans_too,
  nans_only,
  infinite,
  zeros,
  rising,
  falling,
  late
};
constexpr hard_order hard_orders[] = {
    hard_order::any_bits,  hard_order::few_values, hard_order::one_value, hard_order::nans_too,
    hard_order::nans_only, hard_order::infinite,   hard_order::zeros,     hard_order::rising,
    hard_order::falling,   hard_order::late};

template <class T>
T hard_float(random_source& random, hard_order how, std::int64_t i, std::int64_t n) {
  using format = ieee<T>;
  const auto word = bits_of<T>(random() >> (64 - 8 * sizeof(T)));
  const auto sign = bits_of<T>(word & format::sign);
  const auto nan = bits_of<T>(format::infinity | sign | (1 + word % (format::hidden - 1)));
  const int step = int((i * 200) / n);
  switch (how) {
  case hard_order::few_values:
    return make<T>(random.one_in(2), random.between(0, 1) * 3, 0);
  case hard_order::one_value:
    return make<T>(n % 2, int(n % 5), 0);
  case hard_order::nans_too:
    return as_float<T>(random.one_in(30) ? nan : bits_of<T>(word & ~format::hidden));
  case hard_order::nans_only:
    return as_float<T>(nan);
  case hard_order::infinite:
    return as_float<T>(bits_of<T>(format::infinity | (n % 3 == 0   ? sign
                                                      : n % 3 == 1 ? format::sign
                                                                   : bits_of<T>(0))));
  case hard_order::zeros:
    return as_float<T>(random.one_in(50) && n % 2 ? bits_of<T>(sign | 1) : sign);
  case hard_order::rising:
    return make<T>(step < 100, step < 100 ? (99 - step) % 15 : (step - 100) % 15, word);
  case hard_order::falling:
    return make<T>(step >= 100, step < 100 ? (99 - step) % 15 : (step - 100) % 15, 0);
  case hard_order::late:
    return make<T>(i * 2 > n && random.one_in(9), 1, 0);
  default:
    return as_float<T>(word);
  }
}

template <class T>
T hard_integer(random_source& random, hard_order how, std::int64_t i, std::int64_t n) {
  using limits = std::numeric_limits<T>;
  switch (how) {
  case hard_order::few_values:
    return T(random.below(3));
  case hard_order::one_value:
    return n % 3 == 0 ? limits::min() : n % 3 == 1 ? limits::max() : T(1);
  case hard_order::infinite:
    return random.one_in(2) ? limits::min() : limits::max();
  case hard_order::zeros:
    return T(random.one_in(200));
  case hard_order::rising:
    return T(std::uint64_t(limits::min()) + std::uint64_t(i));
  case hard_order::falling:
    return T(std::uint64_t(limits::max()) - std::uint64_t(i));
  case hard_order::late:
    return T(i * 2 > n ? random.below(2) : 3);
  default:
    return T(random());
  }
}

inline plain_array make_plain_array(random_source& random, dtype type, hard_order how,
                                    std::int64_t n) {
  plain_array made{type, std::vector<std::byte>(std::size_t(n) * size_bytes(type)), n};
  with_type(type, [&]<class T>(detail::tag<T>) {
    for (std::int64_t i = 0; i < n; ++i) {
      std::byte* const to = made.bytes.data() + std::size_t(i) * sizeof(T);
      if constexpr (std::is_same_v<T, bool>) {
        *to = std::byte(hard_integer<std::uint8_t>(random, how, i, n));
      } else if constexpr (std::is_integral_v<T>) {
        const T x = hard_integer<T>(random, how, i, n);
        std::memcpy(to, &x, sizeof x);
      } else {
        const T x = hard_float<T>(random, how, i, n);
        std::memcpy(to, &x, sizeof x);
      }
    }
  });
  return made;
}

/// What elements x[first … last) say, positions being those of the array.
struct plain_answers {
  std::int64_t count = 0, nans = 0, nonzeros = 0;
  std::int64_t first_nan = -1, argmin = -1, argmax = -1;
  long double min = 0, max = 0, norminf = 0;  ///< with the sign of a zero

  plain_answers(const plain_array& x, std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) take(x[i], i);
  }

 private:
  void take(long double value, std::int64_t i) {
    ++count, nonzeros += value != 0;
    if (std::isnan(value)) {
      if (nans++ == 0) first_nan = i;
      return;
    }
    if (argmin < 0 || value < min) min = value, argmin = i;
    if (argmax < 0 || value > max) max = value, argmax = i;
    if (value == 0 && min == 0 && std::signbit(value)) min = value;
    if (value == 0 && max == 0 && !std::signbit(value)) max = value;
    norminf = std::max(norminf, std::fabs(value));
  }
};

inline std::string what_failed(const plain_array& x, hard_order how, std::uint64_t index) {
  return "ONEFOLD_TEST_SEED=" + std::to_string(seed()) + ", array " + std::to_string(index) +
         ", kind " + std::to_string(int(how)) + ", " + std::to_string(x.n) + " " +
         std::string(name(x.type));
}

}  // namespace onefold::test
