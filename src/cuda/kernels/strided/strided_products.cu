// SPDX-License-Identifier: Apache-2.0
// Products of general strided layouts.

#include "cuda/kernels/strided/ordered/strided_products.cuh"
#include "cuda/kernels/strided/strided_entry.hpp"

namespace onefold::cuda {

int launch_strided_ordered(const strided_request& request, unsigned blocks, std::int64_t* words,
                           void* stream) {
  const strided_kernel run =
      is_floating(request.input) ? strided_products : folds::strided_folds<folds::any_product>;
  run<<<blocks, strided_threads, 0, static_cast<cudaStream_t>(stream)>>>(request, words);
  return int(cudaGetLastError());
}

}  // namespace onefold::cuda
