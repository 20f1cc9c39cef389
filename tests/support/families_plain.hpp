// SPDX-License-Identifier: Apache-2.0
// Families that data in the field look like: distributions, wide ranges, integers, drift.
#pragma once

#include <cmath>

#include "support/elements.hpp"

namespace onefold::test {

template <class T>
void fill_uniform(random_source& random, T* x, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) x[i] = chopped<T>(random.unit());
}

template <class T>
void fill_normal(random_source& random, T* x, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) x[i] = chopped<T>(random.normal());
}

template <class T>
void fill_wide_normal(random_source& random, T* x, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i)
    x[i] = chopped<T>(random.normal() * std::exp(5 * random.normal()));
}

template <class T>
void fill_lognormal(random_source& random, T* x, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i)
    x[i] = any_of_exponent<T>(random, int(std::lround(14.43 * random.normal())));
}

template <class T>
void fill_hundred_bits(random_source& random, T* x, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) x[i] = any_of_exponent<T>(random, random.between(-100, 100));
}

template <class T>
void fill_random_bits(random_source& random, T* x, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    bits_of<T> bits;
    do bits = bits_of<T>(random());
    while ((bits & ieee<T>::infinity) == ieee<T>::infinity);
    x[i] = as_float<T>(bits);
  }
}

template <class T>
void fill_subnormal(random_source& random, T* x, std::size_t n) {
  const int highest = random.between(0, 3);
  for (std::size_t i = 0; i < n; ++i)
    x[i] = any_of_exponent<T>(random, random.between(0, highest) - ieee<T>::bias);
}

// The clamp: levels would lie below the smallest normal number. Sparse significands make residuals
// that end exactly there.
template <class T>
void fill_near_least(random_source& random, T* x, std::size_t n) {
  const int range = random.between(0, std::min(42, 2 * ieee<T>::bias));
  const int least = 1 - ieee<T>::bias, keep = random.between(1, ieee<T>::fraction_bits);
  for (std::size_t i = 0; i < n; ++i) {
    const T any = any_of_exponent<T>(random, least + random.between(0, range));
    const auto mask = bits_of<T>(~bits_of<T>(0)) << (ieee<T>::fraction_bits - keep);
    x[i] = as_float<T>(bits_of<T>(as_bits(any) & (random.one_in(4) ? ~bits_of<T>(0) : mask)));
  }
}

template <class T>
void fill_huge(random_source& random, T* x, std::size_t n) {
  const int depth = random.between(0, 3);
  for (std::size_t i = 0; i < n; ++i)
    x[i] = any_of_exponent<T>(random, ieee<T>::bias - random.between(0, depth));
}

template <class T>
void fill_integers(random_source& random, T* x, std::size_t n) {
  const int most = random.between(1, 2000);
  for (std::size_t i = 0; i < n; ++i) x[i] = chopped<T>(random.between(-most, most));
}

template <class T>
void fill_zeros(random_source& random, T* x, std::size_t n) {
  const std::uint64_t plus = random.below(4);  // of four kinds of array, one is all -0
  for (std::size_t i = 0; i < n; ++i) x[i] = make<T>(true, -ieee<T>::bias, 0);
  for (std::size_t i = 0; plus != 0 && i < n; ++i)
    if (random.one_in(plus == 1 ? 2 : n)) x[i] = make<T>(false, -ieee<T>::bias, plus == 3);
}

template <class T>
void fill_sparse(random_source& random, T* x, std::size_t n) {
  const int span = random.between(0, 60);
  for (std::size_t i = 0; i < n; ++i)
    x[i] = random.one_in(20) ? any_of_exponent<T>(random, random.between(0, span))
                             : make<T>(random.one_in(2), -ieee<T>::bias, 0);
}

template <class T>
void fill_two_clusters(random_source& random, T* x, std::size_t n) {
  const int half = std::min(300, int(ieee<T>::bias * 3 / 5));
  for (std::size_t i = 0; i < n; ++i)
    x[i] = any_of_exponent<T>(random, (i % 2 ? half : -half) + random.between(-3, 3));
}

// The exponent walks from one end of its range to the other, once or more often.
template <class T>
void fill_drift(random_source& random, T* x, std::size_t n) {
  const int turn = ieee<T>::bias * 4 / 5, step_of = random.between(1, 12);
  int exponent = random.between(-turn, turn), step = random.one_in(2) ? 1 : -1;
  for (std::size_t i = 0; i < n; ++i) {
    x[i] = any_of_exponent<T>(random, exponent);
    if (!random.one_in(std::uint64_t(step_of))) continue;
    exponent += step;
    if (exponent >= turn || exponent <= -turn) step = -step;
  }
}

}  // namespace onefold::test
