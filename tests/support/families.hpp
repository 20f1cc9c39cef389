// SPDX-License-Identifier: Apache-2.0
// The families of inputs that an exact sum is tried on, and the way each of them must have taken.
//
// A family whose way was never taken has not tested what it is there for, so its test fails.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
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

}  // namespace onefold::test
