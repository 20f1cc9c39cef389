// SPDX-License-Identifier: Apache-2.0
// Products of whole arrays of integers.

#include <limits>

#include "cuda/kernels/whole/products/ordered.hpp"
#include "cuda/kernels/whole/products/product_integers.cuh"
#include "cuda/primitives/element_kind.hpp"

namespace onefold::cuda {
namespace {

// The largest element that counts.
template <class T>
T most(dtype input) {
  return input == dtype::boolean ? T(1) : std::numeric_limits<T>::max();
}

template <class T>
T sign_of(dtype input) {
  return is_signed_integer(input) ? T(T(1) << (sizeof(T) * 8 - 1)) : T(0);
}

template <class T>
int launch_products(const whole_request& request, unsigned blocks, std::int64_t* words,
                    void* stream) {
  integer_product_chunks<T><<<blocks, chunk_threads, 0, static_cast<cudaStream_t>(stream)>>>(
      static_cast<const T*>(request.x), request.n, most<T>(request.input),
      sign_of<T>(request.input), words);
  return int(cudaGetLastError());
}

template <class T>
ordered_entry entry(accumulator kind) {
  if (kind == accumulator::product) return {integer_product::words, launch_products<T>};
  return {};
}

}  // namespace

ordered_entry ordered_integer_entry(accumulator kind, dtype input) {
  return with_width<ordered_entry>(size_bytes(input),
                                   [&]<class Raw>(detail::tag<Raw>) { return entry<Raw>(kind); });
}

}  // namespace onefold::cuda
