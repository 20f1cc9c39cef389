// SPDX-License-Identifier: Apache-2.0
// Exact sums of floats of general strided layouts.

#include "cuda/kernels/strided/strided_entry.hpp"
#include "cuda/kernels/strided/strided_sums.cuh"

namespace onefold::cuda {

int launch_strided_floats(const strided_request& request, unsigned blocks, std::int64_t* words,
                          void* stream) {
  const auto run = with_floating<strided_kernel>(request.input, [&]<class T>(detail::tag<T>) {
    return with_sum<strided_kernel>(
        request.accumulator,
        []<accumulator Of>(sum_tag<Of>) -> strided_kernel { return strided_floats<Of, T>; });
  });
  run<<<blocks, strided_threads, 0, static_cast<cudaStream_t>(stream)>>>(request, words);
  return int(cudaGetLastError());
}

}  // namespace onefold::cuda
