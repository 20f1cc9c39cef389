// SPDX-License-Identifier: Apache-2.0
// Element types that are known when a kernel runs, not when it is compiled.
#pragma once

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

}  // namespace onefold::cuda
