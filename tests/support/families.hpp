// SPDX-License-Identifier: Apache-2.0
// The families of inputs that an exact sum is tried on, and the way each of them must have taken.
//
// A family whose way was never taken has not tested what it is there for, so its test fails.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <vector>

#include "onefold/state.hpp"
#include "support/random.hpp"

namespace onefold::test {

using path_member = std::int64_t detail::path_counts::*;

template <class T>
struct family {
  std::string_view name;
  void (*fill)(random_source& random, T* x, std::size_t n);
  std::vector<path_member> intended;  ///< counts that must not stay at zero
  bool finite = true;
};

template <class T>
const std::vector<family<T>>& families();

/// A type of answers of elements of T: f64 of f64, of others mostly T, or a narrow float.
template <class T>
dtype any_output(random_source& random) {
  if (std::is_same_v<T, double>) return dtype::f64;
  const dtype narrow[] = {dtype::f32, dtype::f16, dtype::bf16};
  return random.one_in(2) ? dtype_of<T> : narrow[random.below(3)];
}

}  // namespace onefold::test
