// SPDX-License-Identifier: Apache-2.0
// What an operator of the user's own is: on the CPU (custom.hpp) and on a GPU (cuda/custom.cuh).
#pragma once

#include <concepts>

namespace onefold {

/// A reduction in progress of the user's own. Copying the one that is handed in as the identity
/// makes a new one.
template <class R, class T>
concept reducer = std::copyable<R> && requires(R state, const R& next, T x) {
  state.add(x);
  state.merge(next);
};

}  // namespace onefold
