// SPDX-License-Identifier: Apache-2.0
#include "cuda/normalize/softmax.cuh"

namespace onefold::cuda {
namespace {

template <class T, bool Logarithm>
void start(const softmax_launch& of, cudaStream_t stream) {
  const dim3 grid(of.across, of.down);
  if (of.way == row_way::held)
    softmax_kernel<T, row_way::held, Logarithm><<<grid, of.threads, 0, stream>>>(of.of, of.lanes);
  else if (of.way == row_way::streamed)
    softmax_kernel<T, row_way::streamed, Logarithm>
        <<<grid, of.threads, 0, stream>>>(of.of, of.lanes);
  else
    softmax_kernel<T, row_way::elements, Logarithm>
        <<<grid, of.threads, 0, stream>>>(of.of, of.lanes);
}

template <class T>
int launch_rows(const softmax_launch& of, void* stream) {
  auto* const queue = static_cast<cudaStream_t>(stream);
  if (of.of.logarithm)
    start<T, true>(of, queue);
  else
    start<T, false>(of, queue);
  return int(cudaGetLastError());
}

}  // namespace

int launch_softmax(const softmax_launch& of, void* stream) {
  switch (of.of.type) {
  case dtype::f16:
    return launch_rows<f16>(of, stream);
  case dtype::bf16:
    return launch_rows<bf16>(of, stream);
  default:
    return launch_rows<float>(of, stream);
  }
}

}  // namespace onefold::cuda
