// SPDX-License-Identifier: Apache-2.0
// Asynchronous requests: a CUDA graph of two reductions, captured once and launched repeatedly.
#include <onefold/onefold.hpp>

#include <cuda_runtime_api.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

void check(cudaError_t code) {
  if (code == cudaSuccess) return;
  std::printf("%s\n", cudaGetErrorString(code));
  std::exit(1);
}

void check(const onefold::status& done) {
  if (done) return;
  std::printf("%s\n", done.message().c_str());
  std::exit(1);
}

template <class T>
T* on_device(std::size_t count) {
  void* made = nullptr;
  check(cudaMalloc(&made, count * sizeof(T)));
  return static_cast<T*>(made);
}

struct answers {
  double mean, norm;
};

}  // namespace

int main() {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::puts("no CUDA device");
    return 77;
  }
  std::vector<double> values(1'000'000);
  auto* const x = on_device<double>(values.size());
  auto* const out = on_device<answers>(1);
  cudaStream_t stream = nullptr;
  check(cudaStreamCreate(&stream));

  // [resident]
  using namespace onefold;
  const executor::cuda on = {.stream = stream};
  const array_view data(x, dtype::f64, {{std::int64_t(values.size()), sizeof(double)}});
  const output_view middle(&out->mean, dtype::f64, {}), norm(&out->norm, dtype::f64, {});
  options how;
  how.workspace.bytes = workspace_size(on, {op::mean, op::norm2}, {data}, {middle, norm}).value();
  how.workspace.data = on_device<std::byte>(how.workspace.bytes);
  check(workspace_init(on, how.workspace.data, how.workspace.bytes));

  cudaGraph_t graph = nullptr;
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  check(reduce(on, {op::mean, op::norm2}, {data}, {middle, norm}, how));  // returns at once
  check(cudaStreamEndCapture(stream, &graph));
  // [resident]

  cudaGraphExec_t ready = nullptr;
  check(cudaGraphInstantiate(&ready, graph, 0));
  bool right = true;
  for (int step = 1; step <= 3; ++step) {
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = step / double(i + 1);
    check(cudaMemcpyAsync(x, values.data(), values.size() * sizeof(double), cudaMemcpyDefault,
                          stream));
    check(cudaGraphLaunch(ready, stream));
    answers got{};
    check(cudaMemcpyAsync(&got, out, sizeof got, cudaMemcpyDefault, stream));
    check(cudaStreamSynchronize(stream));
    std::printf("%.17g %.17g\n", got.mean, got.norm);
    right = right && got.mean == onefold::mean(values) && got.norm == onefold::norm2(values);
  }
  cudaGraphExecDestroy(ready), cudaGraphDestroy(graph), cudaStreamDestroy(stream);
  cudaFree(how.workspace.data), cudaFree(out), cudaFree(x);
  return right ? 0 : 1;
}
