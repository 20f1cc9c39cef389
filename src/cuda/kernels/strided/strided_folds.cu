// SPDX-License-Identifier: Apache-2.0
// Integers, extrema, counts and bitwise folds of general strided layouts.

#include "cuda/kernels/strided/strided_entry.hpp"
#include "cuda/kernels/strided/strided_folds.cuh"

namespace onefold::cuda {
namespace {

strided_kernel kernel_of(accumulator kind) {
  if (kind == accumulator::extrema) return folds::strided_folds<folds::any_extrema>;
  if (kind == accumulator::counts) return folds::strided_folds<folds::any_counts>;
  if (kind == accumulator::bits) return folds::strided_folds<folds::any_bits>;
  return with_sum<strided_kernel>(kind, []<accumulator Of>(sum_tag<Of>) -> strided_kernel {
    return folds::strided_folds<folds::any_integers<Of>>;
  });
}

}  // namespace

int launch_strided_folds(const strided_request& request, unsigned blocks, std::int64_t* words,
                         void* stream) {
  const strided_kernel run = kernel_of(request.accumulator);
  if (run == nullptr) return int(cudaErrorNotSupported);
  run<<<blocks, strided_threads, 0, static_cast<cudaStream_t>(stream)>>>(request, words);
  return int(cudaGetLastError());
}

}  // namespace onefold::cuda
