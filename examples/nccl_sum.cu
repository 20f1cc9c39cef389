// SPDX-License-Identifier: Apache-2.0
// The sum of numbers that are spread over all GPUs of this machine, next to that of one GPU. Each
// GPU has a thread of its own; link NCCL, or let the library find libnccl.so.2.
#include <onefold/nccl.hpp>
#include <onefold/onefold.hpp>

#include <cuda_runtime.h>
#include <nccl.h>

#include <barrier>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

namespace {

void check(bool fine, const char* message) {
  if (fine) return;
  std::puts(message);
  std::exit(1);
}
void check(cudaError_t code) {
  check(code == cudaSuccess, cudaGetErrorString(code));
}
void check(ncclResult_t code) {
  check(code == ncclSuccess, ncclGetErrorString(code));
}
void check(const onefold::status& done) {
  check(done.ok(), done.message().c_str());
}

constexpr std::int64_t numbers = 1 << 26;

// Numbers first … first + n - 1: 1e16, 1, -1e16, 1, 1e16, …
__global__ void fill(double* x, std::int64_t first, std::int64_t n) {
  const std::int64_t step = std::int64_t(gridDim.x) * blockDim.x;
  for (std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += step)
    x[i] = (first + i) % 2 ? 1 : (first + i) % 4 ? -1e16 : 1e16;
}

// The sum of these numbers, by one GPU, or with the other ranks of a communicator.
double sum_of(int device, std::int64_t first, std::int64_t n, ncclComm_t comm,
              std::barrier<>& allocated) {
  using namespace onefold;
  check(cudaSetDevice(device));
  double *x = nullptr, *answer = nullptr, sum = 0;
  check(cudaMalloc(&x, std::size_t(n + 1) * sizeof(double)));
  check(cudaMalloc(&answer, sizeof(double)));
  cudaStream_t stream = nullptr;
  check(cudaStreamCreate(&stream));
  fill<<<1024, 256, 0, stream>>>(x, first, n);
  const executor::cuda gpu{.stream = stream};
  const array_view input(x, dtype::f64, {{n, sizeof(double)}});
  const output_view output(answer, dtype::f64);
  if (comm == nullptr) {
    check(reduce(executor(gpu), op::sum, {input}, output));
  } else {
    // cudaMalloc may wait for what other GPUs of the process do, so no thread begins before all are
    // done with it.
    options how;
    how.workspace.bytes = nccl::all_reduce_workspace_size(gpu, op::sum, {input}, {output}).value();
    check(cudaMalloc(&how.workspace.data, how.workspace.bytes));
    check(workspace_init(gpu, how.workspace.data, how.workspace.bytes));
    allocated.arrive_and_wait();
    check(nccl::all_reduce(gpu, op::sum, input, output, comm, how));
  }
  check(cudaMemcpyAsync(&sum, answer, sizeof sum, cudaMemcpyDefault, stream));
  check(cudaStreamSynchronize(stream));
  check(cudaStreamDestroy(stream));
  check(cudaFree(x)), check(cudaFree(answer));
  return sum;
}

}  // namespace

int main() {
  int gpus = 0;
  if (cudaGetDeviceCount(&gpus) != cudaSuccess || gpus == 0) {
    std::puts("no CUDA device");
    return 77;
  }
  std::vector<ncclComm_t> comms(static_cast<std::size_t>(gpus));
  check(ncclCommInitAll(comms.data(), gpus, nullptr));
  std::vector<double> sums(comms.size());
  std::barrier allocated(gpus);
  std::vector<std::thread> threads;
  for (int i = 0; i < gpus; ++i)
    threads.emplace_back([&, i] {
      const std::int64_t first = numbers * i / gpus, end = numbers * (i + 1) / gpus;
      sums[std::size_t(i)] = sum_of(i, first, end - first, comms[std::size_t(i)], allocated);
    });
  for (std::thread& each : threads) each.join();
  bool same = true;
  const double one = sum_of(0, 0, numbers, nullptr, allocated);
  std::printf("one GPU: %.17g\n", one);
  for (int i = 0; i < gpus; ++i) {
    std::printf("GPU %d of %d: %.17g\n", i, gpus, sums[std::size_t(i)]);
    same = same && sums[std::size_t(i)] == one;
    check(ncclCommDestroy(comms[std::size_t(i)]));
  }
  return same ? 0 : 1;
}
