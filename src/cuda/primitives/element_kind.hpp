// SPDX-License-Identifier: Apache-2.0
// Element types that are known when a kernel runs, not when it is compiled.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "onefold/detail/float_format.hpp"
#include "onefold/dtype.hpp"

namespace onefold::cuda {

/// What the loads must know of an element type.
struct element_kind {
  dtype type = dtype::u8;
  unsigned char bytes = 1;
  bool is_signed = false;
  bool floating = false;
  std::uint64_t infinity = 0;  ///< of floating types: its bits
};

constexpr element_kind kind_of(dtype type) {
  const std::uint64_t infinity = with_type(type, []<class T>(detail::tag<T>) -> std::uint64_t {
    if constexpr (std::is_integral_v<T>)
      return 0;
    else
      return detail::float_format<T>::infinity;
  });
  return {type, static_cast<unsigned char>(size_bytes(type)), is_signed_integer(type),
          is_floating(type), infinity};
}

/// Calls f(tag<Raw>) with an unsigned integer of 1, 2, 4 or 8 bytes.
template <class Made, class F>
Made with_width(std::size_t bytes, F&& f) {
  if (bytes == 1) return f(detail::tag<std::uint8_t>());
  if (bytes == 2) return f(detail::tag<std::uint16_t>());
  return bytes == 4 ? f(detail::tag<std::uint32_t>()) : f(detail::tag<std::uint64_t>());
}

/// Calls f(tag<T>) with a floating type; of others the answer is Made{}.
template <class Made, class F>
Made with_floating(dtype type, F&& f) {
  return with_type(type, [&]<class T>(detail::tag<T> tag) -> Made {
    if constexpr (std::is_integral_v<T>)
      return {};
    else
      return f(tag);
  });
}

}  // namespace onefold::cuda
