// SPDX-License-Identifier: Apache-2.0
#pragma once
// The four rungs with every operator and type.

#include "simt/launch.hpp"

namespace onefold::ladder::test {

inline constexpr unsigned rung_count = 4;
inline constexpr unsigned items_per_lane[rung_count] = {1, 1, 1, 2};

template <class T>
using reduction = void (*)(simt::executor&, const simt::launch_config&, const T* in, std::size_t n,
                           T* partials);

/// rungs[i] is the i-th rung with this operator.
template <template <class> class Operator, class T>
struct operator_kernels {
  static const reduction<T> rungs[rung_count];
};

}  // namespace onefold::ladder::test
