// SPDX-License-Identifier: Apache-2.0
// The concept of a user-defined operator, on the CPU (custom.hpp) and on a GPU (cuda/custom.cuh).
#pragma once

#include <concepts>

#include "onefold/detail/config.hpp"

namespace onefold {

/// A user-defined accumulator. A copy of the identity object that the caller passes starts a new
/// reduction.
template <class R, class T>
concept reducer = std::copyable<R> && requires(R state, const R& next, T x) {
  state.add(x);
  state.merge(next);
};

}  // namespace onefold
