// SPDX-License-Identifier: Apache-2.0
#pragma once
// dot/kahan: each lane adds many products and keeps what its additions lose.
//
// Compensation needs a sum of several terms: a lane walks the grid's stride over the array and
// carries sum and loss from product to product, and the tree carries both to the block's partial.
// It repairs the additions. The products stay rounded, each off by up to u |a b|, and where they
// cancel that error is all that is left: see dot/two-product.
//
// Error: |answer - sum p| <= u |sum p| + g^2 sum |p| for the rounded products p, where g is about
//        the number of additions that a product passes through, times u (dot/bounds.hpp).

#include "ladder/dot/compensated.cuh"

#include <cstddef>

namespace onefold::ladder {

/// Shape:  a[n], b[n], n >= 0; partials[2 * grid]: sums, then losses; block a power of two.
/// Order:  each lane by the grid's stride, then a tree. Lane 0 writes both parts.
template <class T>
__global__ void dot_kahan(const T* a, const T* b, std::size_t n, T* partials) {
  ONEFOLD_DYNAMIC_SHARED(T, sums);

  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  compensated<T> value;
  for (std::size_t at = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; at < n; at += stride) {
    value.add(multiply_rounded(a[at], b[at]));
  }

  leave_compensated(value, sums, partials);
}

}  // namespace onefold::ladder
