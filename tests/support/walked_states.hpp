// SPDX-License-Identifier: Apache-2.0
// The states of one answer, filled element by element: what any engine must have found.
#pragma once

#include <cstring>
#include <type_traits>

#include "onefold/state.hpp"
#include "support/random.hpp"

namespace onefold::test {

/// An element from memory; a bool may be any byte.
template <class T>
T stored(const std::byte* from) {
  if constexpr (std::is_same_v<T, bool>) return *from != std::byte(0);
  T element{};
  std::memcpy(static_cast<void*>(&element), from, sizeof element);
  return element;
}

/// Small integers and halves: sums that intervals decide, ties of positions, exact products.
template <class T>
T tame(random_source& random) {
  exact_sum<double> one;
  one.add(double(random.between(-40, 40)) / (std::is_integral_v<T> ? 1 : 2));
  if constexpr (std::is_same_v<T, bool>)
    return random.one_in(2);
  else if constexpr (std::is_integral_v<T>)
    return T(std::int64_t(one.value<double>()));  // negative ones wrap
  else
    return one.value<T>();
}

/// For the operators whose states commute.
template <class T>
struct walked_states {
  using key = std::conditional_t<std::is_integral_v<T>, std::int64_t, T>;
  using wide = std::conditional_t<std::is_integral_v<T> || sizeof(T) == 8, double, float>;
  exact_sum<key> total, magnitudes;
  exact_dot<key> squares;
  exact_moments<key> moments;
  detail::extrema extrema;
  detail::nonzero_counts counts;
  detail::bit_fold bits;
  detail::exponential_sum<wide> exponentials;

  void add(T x, std::int64_t position) {
    total.add(x), squares.add(x, x), moments.add(x), counts.add(x);
    extrema.add(x, position);
    if constexpr (std::is_arithmetic_v<T>) {
      exponentials.add(wide(x));
    } else {
      exact_sum<T> one;
      one.add(x), exponentials.add(one.template value<wide>());
    }
    if constexpr (std::is_integral_v<T>) bits.add(x);
    if constexpr (!std::is_integral_v<T>)
      magnitudes.add(detail::from_bits<T>(typename detail::float_format<T>::bits(
          detail::to_bits(x) & ~detail::float_format<T>::sign_bit)));
    else if constexpr (std::is_signed_v<T>)
      magnitudes.add(x < 0 ? std::uint64_t(0) - std::uint64_t(x) : std::uint64_t(x));
    else
      magnitudes.add(x);
  }

  any_state state_for(op op) const {
    switch (op) {
    case op::norm1:
      return magnitudes;
    case op::norm2:
    case op::sumsq:
      return squares;
    case op::var:
    case op::stddev:
      return moments;
    case op::any:
    case op::all:
    case op::count:
    case op::count_nonzero:
      return counts;
    case op::sum:
    case op::mean:
      return total;
    case op::bit_and:
    case op::bit_or:
    case op::bit_xor:
      return bits;
    case op::logsumexp:
      return exponentials;
    default:
      return extrema;
    }
  }
};

}  // namespace onefold::test
