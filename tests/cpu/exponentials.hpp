// SPDX-License-Identifier: Apache-2.0
// Sums of exponentials by the loops of a SIMD target and one by one, and their bound.
#pragma once

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <variant>
#include <vector>

#include "cpu/tasks/tasks.hpp"
#include "onefold/detail/exponential_sum.hpp"
#include "runtime/float_environment.hpp"
#include "state/states.hpp"
#include "support/plain_order.hpp"

namespace onefold::test {

template <class T>
using wide_of = std::conditional_t<std::is_integral_v<T> || sizeof(T) == 8, double, float>;
template <class T>
using sum_of = detail::exponential_sum<wide_of<T>>;

template <class T>
wide_of<T> wide(const T& x) {
  return wide_of<T>(plain_value<T>(reinterpret_cast<const std::byte*>(&x)));
}

/// By the loops, piece by piece.
template <class T>
sum_of<T> by_task(const T* x, std::int64_t n, std::int64_t piece = 65536) {
  const float_environment sound;
  const auto task = cpu::make_exponentials_task(dtype_of<T>);
  any_state whole = empty_state(accumulator::exponentials, dtype_of<T>);
  for (std::int64_t i = 0; i < n; i += piece)
    task->take({x + i, nullptr, std::min(piece, n - i), i});
  task->drain(whole);
  return std::get<sum_of<T>>(whole);
}

template <class T>
sum_of<T> by_adding(const std::vector<T>& x) {
  sum_of<T> sum;
  for (const T& element : x) sum.add(wide(element));
  return sum;
}

/// Of the logarithm; docs/numerics/logsumexp.md, Theorem 7.
template <class T>
double bound(const detail::scaled_pair& result) {
  return (sizeof(wide_of<T>) == 4 ? std::exp2(-29.8) : std::exp2(-51.8)) +
         std::fabs(result.high) * 0x1p-100;
}

}  // namespace onefold::test
