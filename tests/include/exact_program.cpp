// SPDX-License-Identifier: Apache-2.0
// Every member of the exact accumulators, over values that are hard to sum, as words of their bits:
// compiled by tests/include/headers_test.py with each form of the header, each compiler and each
// width of pointers, whose outputs have to be equal.
#include <bit>
#include <cinttypes>
#include <cstdint>
#include <cstdio>

#ifdef ONE_FILE
#include <onefold_exact.hpp>
#else
#include "onefold/exact.hpp"
#endif

namespace {

void print(std::int64_t word) {
  std::printf("%016" PRIx64 "\n", static_cast<std::uint64_t>(word));
}
void print(double x) {
  print(std::bit_cast<std::int64_t>(x));
}
void print(float x) {
  print(std::int64_t(std::bit_cast<std::int32_t>(x)));
}
void print(onefold::f16 x) {
  print(std::int64_t(x.bits));
}
void print(onefold::bf16 x) {
  print(std::int64_t(x.bits));
}

// A fixed sequence of 64-bit words: Weyl's sequence, mixed (splitmix64).
std::uint64_t word(std::uint64_t i) {
  std::uint64_t x = (i + 1) * 0x9E3779B97F4A7C15;
  x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9;
  x = (x ^ x >> 27) * 0x94D049BB133111EB;
  return x ^ x >> 31;
}

// Finite values of all exponents: bits of T whose exponent field is not all ones.
template <class T>
T element(std::uint64_t i) {
  using format = onefold::detail::float_format<T>;
  using bits = typename format::bits;
  const bits x = static_cast<bits>(word(i));
  const bool finite = (x & format::infinity) != format::infinity;
  return onefold::detail::from_bits<T>(finite ? x : static_cast<bits>(x ^ format::hidden_bit));
}

template <class Exact>
void print_state(const Exact& state) {
  state.for_each_word([](std::int64_t w) { print(w); });
  std::int64_t words[onefold::additive_words<Exact>];
  onefold::write_additive(state, words);
  Exact back;
  print(std::int64_t(onefold::read_additive(words, back) && back == state));
}

template <class T>
void try_floats() {
  onefold::exact_sum<T> sum, rest;
  onefold::exact_dot<T> dot;
  onefold::exact_moments<T> moments;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    sum.add(element<T>(i)), dot.add(element<T>(i), element<T>(i + 1000));
    moments.add(element<T>(i));
    if (i % 3 == 0) rest.add(element<T>(i));
  }
  print(sum.value()), print(sum.mean()), print(sum.template value<float>());
  print(dot.value()), print(dot.root());
  print(moments.mean()), print(moments.variance()), print(moments.deviation(1));
  print(moments.variance(0.5));
  print_state(sum), print_state(dot), print_state(moments);
  print(std::int64_t(sum.subtract(rest))), print(sum.value()), print(sum.count());
}

// Exponents of a few bands, whose sums of exponentials are near each other.
template <class T>
T exponent(std::uint64_t i) {
  onefold::exact_sum<double> x;
  x.add(double(static_cast<std::int32_t>(word(i) >> 40) - (1 << 23)) / (1 << 13));
  return x.value<T>();
}

template <class T>
void try_exponentials() {
  onefold::exact_exponentials<T> all, rest, any;
  for (std::uint64_t i = 0; i < 200; ++i) {
    all.add(exponent<T>(i)), any.add(element<T>(i));
    if (i % 3 == 0) rest.add(exponent<T>(i));
    if (i % 20 == 0) print(all.value()), print(all.template value<double>()), print(any.value());
  }
  print_state(all), print_state(any), print(all.band());
  print(std::int64_t(all.subtract(rest))), print(all.value()), print(all.count());
}

template <class T>
void try_integers() {
  onefold::exact_sum<T> sum;
  onefold::exact_dot<T> dot;
  onefold::exact_moments<T> moments;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    const T x = static_cast<T>(word(i)), y = static_cast<T>(word(i + 1000));
    sum.add(x), dot.add(x, y), moments.add(x);
  }
  print(sum.value()), print(sum.mean()), print(sum.template value<double>());
  print(std::int64_t(sum.template fits<std::int64_t>()));
  print(dot.value()), print(dot.template value<double>()), print(dot.root());
  print(moments.mean()), print(moments.variance()), print(moments.deviation(1));
  print_state(sum), print_state(dot), print_state(moments);
  onefold::exact_exponentials<T> exponentials;
  for (std::uint64_t i = 0; i < 20; ++i) exponentials.add(static_cast<T>(word(i)));
  print(exponentials.value()), print_state(exponentials);
}

}  // namespace

int main() {
  try_floats<double>(), try_floats<float>(), try_floats<onefold::f16>();
  try_floats<onefold::bf16>();
  try_exponentials<double>(), try_exponentials<float>(), try_exponentials<onefold::f16>();
  try_exponentials<onefold::bf16>();
  try_integers<signed char>(), try_integers<unsigned short>(), try_integers<int>();
  try_integers<unsigned>(), try_integers<std::int64_t>(), try_integers<std::uint64_t>();
  try_integers<long long>(), try_integers<unsigned long long>();
}
