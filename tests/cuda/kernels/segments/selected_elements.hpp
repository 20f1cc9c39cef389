// SPDX-License-Identifier: Apache-2.0
#pragma once
// The operators that select, and elements for them.

#include <cstddef>
#include <cstring>
#include <vector>

#include "onefold/dtype.hpp"
#include "onefold/op.hpp"
#include "state/accumulator.hpp"
#include "support/random.hpp"

namespace onefold::test {

inline constexpr op selections[] = {
    op::min, op::max,   op::argmin,        op::argmax,  op::minmax, op::norminf, op::any,
    op::all, op::count, op::count_nonzero, op::bit_and, op::bit_or, op::bit_xor};

/// Few different elements, zeros of both signs, NaNs now and then.
inline std::vector<std::byte> elements(random_source& random, dtype type, std::int64_t n,
                                       bool nans) {
  return with_type(type, [&]<class T>(detail::tag<T>) {
    std::vector<std::byte> x(std::size_t(n) * sizeof(T));
    const bool few = random.one_in(2);
    for (std::size_t i = 0; i < std::size_t(n); ++i) {
      T value{};
      if constexpr (std::is_same_v<T, bool>) {
        value = random.one_in(3);
      } else if constexpr (std::is_integral_v<T>) {
        value = few ? T(random.between(0, 4) - (std::is_signed_v<T> ? 2 : 0)) : T(random());
      } else {
        using bits = typename detail::float_format<T>::bits;
        constexpr bits sign = detail::float_format<T>::sign_bit;
        const bits any =
            few ? bits(random.between(0, 2) | (random.one_in(2) ? sign : bits(0))) : bits(random());
        if (!detail::is_nan<T>(any)) value = detail::from_bits<T>(any);
        if (random.one_in(4)) value = detail::from_bits<T>(random.one_in(2) ? sign : bits(0));
        if (nans && random.one_in(30)) value = detail::from_bits<T>(bits(~random.below(2)));
      }
      std::memcpy(x.data() + i * sizeof(T), &value, sizeof(T));
    }
    return x;
  });
}

/// Whether there is an answer to nothing.
inline bool may_be_empty(op operation) {
  return accumulator_of(operation) != onefold::accumulator::extrema || operation == op::norminf;
}

}  // namespace onefold::test
