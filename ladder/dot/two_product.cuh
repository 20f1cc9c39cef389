// SPDX-License-Identifier: Apache-2.0
#pragma once
// dot/two-product: the products keep their errors too.
//
// One fused multiply-add finds what rounding took from a product, and the loss takes it in. The
// answer is as good as if everything had been computed in twice the precision and then rounded.
//
// Error: |answer - a.b| <= u |a.b| + g^2 sum |a b| without underflow, g as for dot/kahan
//        (dot/bounds.hpp).
// Source: Dot2: T. Ogita, S. Rump, S. Oishi, "Accurate sum and dot product", SIAM J. Sci. Comput.
//         26 (2005), Algorithm 5.3, Proposition 5.5: one processor, where g is n u / (1 - n u).

#include "ladder/dot/compensated.cuh"

#include <cstddef>

namespace onefold::ladder {

/// Shape:  a[n], b[n], n >= 0; partials[2 * grid]: sums, then losses; block a power of two.
/// Order:  each lane by the grid's stride, then a tree. Lane 0 writes both parts.
template <class T>
__global__ void dot_two_product(const T* a, const T* b, std::size_t n, T* partials) {
  ONEFOLD_DYNAMIC_SHARED(T, sums);

  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  compensated<T> value;
  for (std::size_t at = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; at < n; at += stride) {
    const with_error<T> product = two_product(a[at], b[at]);
    value.add(product.value, product.error);
  }

  leave_compensated(value, sums, partials);
}

}  // namespace onefold::ladder
