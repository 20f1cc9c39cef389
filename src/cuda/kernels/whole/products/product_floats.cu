// SPDX-License-Identifier: Apache-2.0
// Products of whole arrays of floats.

#include "cuda/kernels/whole/products/ordered.hpp"
#include "cuda/kernels/whole/products/product.cuh"
#include "cuda/primitives/element_kind.hpp"

namespace onefold::cuda {
namespace {

template <class T>
int launch_products(const whole_request& request, unsigned blocks, std::int64_t* words,
                    void* stream) {
  constexpr unsigned for_each_block = 4;  // these blocks are a quarter of the others
  product_chunks<T>
      <<<blocks * for_each_block, virtual_lanes, 0, static_cast<cudaStream_t>(stream)>>>(
          static_cast<const T*>(request.x), request.n, words);
  return int(cudaGetLastError());
}

}  // namespace

ordered_entry ordered_float_entry(accumulator kind, dtype input) {
  if (kind != accumulator::product) return {};
  return with_floating<ordered_entry>(input, []<class T>(detail::tag<T>) -> ordered_entry {
    return {product_lane::words, launch_products<T>};
  });
}

}  // namespace onefold::cuda
