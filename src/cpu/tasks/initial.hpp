// SPDX-License-Identifier: Apache-2.0
// The caller's initial value: one more element of every answer.
#pragma once

#include <type_traits>

#include "onefold/exact.hpp"
#include "onefold/options.hpp"
#include "runtime/accumulation.hpp"

namespace onefold::cpu {

/// The caller's initial value as an element. Precondition: the request was checked.
template <class T>
T initial_element(const scalar& value) {
  return value.visit([]<class From>(From number) -> T {
    if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(number);
    } else {
      exact_sum<From> one;  // a sum of one element is a conversion that rounds once
      one.add(number);
      return one.template value<T>();
    }
  });
}

/// Adds options::initial, if there is one, to every accumulator. Precondition: the request was
/// checked.
void add_initial(accumulation& into, dtype input, const options& options);

}  // namespace onefold::cpu
