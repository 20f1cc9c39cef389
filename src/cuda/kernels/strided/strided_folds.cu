// SPDX-License-Identifier: Apache-2.0
// Integers, extrema, counts and bitwise folds of general strided layouts.

#include "cuda/kernels/strided/strided_entry.hpp"
#include "cuda/kernels/strided/strided_folds.cuh"

namespace onefold::cuda {
namespace {

nested_kernel kernel_of(accumulator kind) {
  if (kind == accumulator::extrema) return folds::nested_folds<folds::any_extrema>;
  if (kind == accumulator::counts) return folds::nested_folds<folds::any_counts>;
  if (kind == accumulator::bits) return folds::nested_folds<folds::any_bits>;
  return with_sum<nested_kernel>(kind, []<accumulator Of>(sum_tag<Of>) -> nested_kernel {
    return folds::nested_folds<folds::any_integers<Of>>;
  });
}

}  // namespace

int launch_nested_folds(const nested_request& request, unsigned blocks, std::int64_t* words,
                        void* stream) {
  const nested_kernel run = kernel_of(request.accumulator);
  if (run == nullptr) return int(cudaErrorNotSupported);
  run<<<blocks, nested_threads, 0, static_cast<cudaStream_t>(stream)>>>(request, words);
  return int(cudaGetLastError());
}

}  // namespace onefold::cuda
