// SPDX-License-Identifier: Apache-2.0
#include "cuda/normalize/rms_norm.cuh"

namespace onefold::cuda {
namespace {

template <class T, row_way Way>
void start(const rms_norm_launch& of, cudaStream_t stream) {
  const std::size_t shared = rms_norm_words<T>(of.threads) * sizeof(std::int64_t);
  const dim3 grid(of.across, of.down);
  rms_norm_kernel<T, Way><<<grid, of.threads, shared, stream>>>(of.of, of.lanes);
}

template <class T>
int launch_rows(const rms_norm_launch& of, void* stream) {
  auto* const queue = static_cast<cudaStream_t>(stream);
  if (of.way == row_way::held)
    start<T, row_way::held>(of, queue);
  else if (of.way == row_way::streamed)
    start<T, row_way::streamed>(of, queue);
  else
    start<T, row_way::elements>(of, queue);
  return int(cudaGetLastError());
}

}  // namespace

int launch_rms_norm(const rms_norm_launch& of, void* stream) {
  switch (of.of.type) {
  case dtype::f16:
    return launch_rows<f16>(of, stream);
  case dtype::bf16:
    return launch_rows<bf16>(of, stream);
  case dtype::f32:
    return launch_rows<float>(of, stream);
  default:
    return launch_rows<double>(of, stream);
  }
}

}  // namespace onefold::cuda
