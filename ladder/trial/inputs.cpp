// SPDX-License-Identifier: Apache-2.0
#include "ladder/trial/inputs.hpp"

#include "ladder/operators.cuh"

#include <algorithm>
#include <numeric>

namespace onefold::ladder {
namespace {

// Every partial sum of i mod 7 is an integer below 3n + 7: exact in a float while below 2^24.
constexpr std::size_t float_period = 7;
constexpr std::size_t max_n_float = ((std::size_t{1} << 24) - float_period) / 3;
// 2^28 numbers below 2^24: their sum is below 2^52, exact in a double.
constexpr std::size_t double_period = std::size_t{1} << 24;
static_assert(longest_input * double_period <= std::size_t{1} << 53);

constexpr std::size_t factors = 64;  // 2^64 and 2^-64 are far inside float's range

/// Neighbours are far apart; below 2^20, so exact in every type.
template <class T>
T scattered(std::size_t i) {
  return static_cast<T>((i * 2654435761u >> 7) % 1000003);
}

template <class T>
T factor(std::size_t i, std::size_t n) {
  if constexpr (std::is_integral_v<T>) return static_cast<T>(2 * i + 1);
  const std::size_t stride = std::max<std::size_t>(1, (n + factors - 1) / factors);
  if (i % stride != 0) return T(1);
  return i / stride % 2 == 0 ? T(2) : T(-0.5);
}

/// An odd number from -15 to 15; the mixer is that of SplitMix64 (G. Steele et al., 2014).
float signed_item(std::uint64_t i) {
  std::uint64_t x = (i + 1) * 0x9E3779B97F4A7C15u;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return static_cast<float>(2 * static_cast<int>(x >> 60) - 15);
}

template <class T>
T summand(std::size_t i, std::size_t n) {
  if constexpr (std::is_same_v<T, double>) return static_cast<T>(i % double_period);
  if constexpr (std::is_same_v<T, float>) {
    return n <= max_n_float ? static_cast<T>(i % float_period) : signed_item(i);
  }
  return static_cast<T>(i);
}

template <class T>
T item(operation op, std::size_t i, std::size_t n) {
  switch (op) {
  case operation::product:
    return factor<T>(i, n);
  case operation::maximum:
    return static_cast<T>(T(-1) - scattered<T>(i));
  case operation::minimum:
    return static_cast<T>(T(1) + scattered<T>(i));
  case operation::sum:
    break;
  }
  return summand<T>(i, n);
}

// Integers wrap, as on the device: their sums and products are those of the unsigned type.
template <class T>
using wrapping = typename std::conditional_t<std::is_integral_v<T>, std::make_unsigned<T>,
                                             std::type_identity<T>>::type;

}  // namespace

template <class T>
std::vector<T> reduce_input(operation op, std::size_t n) {
  std::vector<T> values(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = item<T>(op, i, n);
  return values;
}

template <class T>
T identity_of(operation op) {
  switch (op) {
  case operation::product:
    return product<T>::identity;
  case operation::maximum:
    return maximum<T>::identity;
  case operation::minimum:
    return minimum<T>::identity;
  case operation::sum:
    break;
  }
  return sum<T>::identity;
}

template <class T>
T fold(operation op, const std::vector<T>& values) {
  using number = wrapping<T>;
  const auto over = [&](auto&& combine) {
    return std::accumulate(values.begin(), values.end(), identity_of<T>(op), combine);
  };
  switch (op) {
  case operation::product:
    return over([](T a, T b) { return static_cast<T>(number(a) * number(b)); });
  case operation::maximum:
    return over([](T a, T b) { return std::max(a, b); });
  case operation::minimum:
    return over([](T a, T b) { return std::min(a, b); });
  case operation::sum:
    break;
  }
  return over([](T a, T b) { return static_cast<T>(number(a) + number(b)); });
}

template <class T>
std::shared_ptr<const reduce_case<T>> reduce_case_of(operation op, std::size_t n) {
  static std::shared_ptr<const reduce_case<T>> last;
  static operation last_op{};
  if (last != nullptr && last_op == op && last->values.size() == n) return last;
  last.reset();  // two inputs of a gigabyte would be one too many
  std::vector<T> values = reduce_input<T>(op, n);
  const T expected = fold(op, values);
  last_op = op;
  last = std::make_shared<const reduce_case<T>>(reduce_case<T>{std::move(values), expected});
  return last;
}

#define ONEFOLD_INPUTS(T)                                                                          \
  template std::vector<T> reduce_input<T>(operation, std::size_t);                                 \
  template T identity_of<T>(operation);                                                            \
  template T fold<T>(operation, const std::vector<T>&);                                            \
  template std::shared_ptr<const reduce_case<T>> reduce_case_of<T>(operation, std::size_t);
ONEFOLD_INPUTS(int)
ONEFOLD_INPUTS(float)
ONEFOLD_INPUTS(double)

}  // namespace onefold::ladder
