// SPDX-License-Identifier: Apache-2.0
#include "cuda/kernels/ranks/shares.cuh"

#include <algorithm>

namespace onefold::cuda {
namespace {

template <class T>
int launch(const shares_request& request, cudaStream_t stream) {
  constexpr std::int64_t most_blocks = std::int64_t(1) << 30;
  constexpr std::int64_t block_items = shares_threads * share_columns<T>::items;
  const std::int64_t blocks = std::min((request.items - 1) / block_items + 1, most_blocks);
  reduce_shares<T><<<unsigned(blocks), shares_threads, 0, stream>>>(arguments_of(request));
  return int(cudaGetLastError());
}

}  // namespace

int launch_reduce_shares(const shares_request& request, void* stream) {
  if (request.items == 0) return int(cudaSuccess);
  auto* const on = static_cast<cudaStream_t>(stream);
  switch (request.type) {
  case dtype::f16:
    return launch<f16>(request, on);
  case dtype::bf16:
    return launch<bf16>(request, on);
  case dtype::f32:
    return launch<float>(request, on);
  case dtype::f64:
    return launch<double>(request, on);
  default:
    return int(cudaErrorNotSupported);
  }
}

}  // namespace onefold::cuda
