// SPDX-License-Identifier: Apache-2.0
// Exact conversion between element types.
#include "cpu/drivers/convert.hpp"

#include <cstring>
#include <type_traits>

#include "onefold/exact.hpp"

namespace onefold::cpu {
namespace {

// A bool in memory is a byte of any value.
struct stored_bool {
  unsigned char byte;
};

// In a wider format a sum of one element is exactly that element.
template <class To, class From>
To converted(From x) {
  if constexpr (std::is_same_v<From, stored_bool>) {
    return To(x.byte != 0);
  } else if constexpr (std::is_integral_v<From> || std::is_same_v<From, float>) {
    return static_cast<To>(x);
  } else {
    exact_sum<From> one;
    one.add(x);
    return one.template value<To>();
  }
}

template <class To, class From>
void convert_all(const std::byte* from, std::int64_t n, std::byte* to) {
  for (std::int64_t i = 0; i < n; ++i) {
    From x;
    std::memcpy(&x, from + std::size_t(i) * sizeof x, sizeof x);
    const To wide = converted<To>(x);
    std::memcpy(to + std::size_t(i) * sizeof wide, &wide, sizeof wide);
  }
}

}  // namespace

void convert(dtype from_type, const std::byte* from, std::int64_t n, dtype to_type, std::byte* to) {
  with_type(from_type, [&]<class From>(detail::tag<From>) {
    using Stored = std::conditional_t<std::is_same_v<From, bool>, stored_bool, From>;
    if constexpr (std::is_same_v<Stored, double>)
      return;  // the widest type
    else if (to_type == dtype::f32)
      convert_all<float, Stored>(from, n, to);
    else if (to_type == dtype::f64)
      convert_all<double, Stored>(from, n, to);
    else if constexpr (!is_floating(dtype_of<From>))
      convert_all<std::int64_t, Stored>(from, n, to);  // unsigned integers convert to the same bits
  });
}

}  // namespace onefold::cpu
