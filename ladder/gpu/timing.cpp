// SPDX-License-Identifier: Apache-2.0
#include "ladder/gpu/timing.hpp"

#include "ladder/gpu/cuda.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace onefold::ladder {
namespace {

constexpr int samples = 11;
constexpr double batch_us = 400;  // a hundred times the coarseness of an event
constexpr int most_calls = 50;

class event {
 public:
  event() { ONEFOLD_CUDA_TRY(cudaEventCreate(&handle_)); }
  event(const event&) = delete;
  event& operator=(const event&) = delete;
  ~event() { cudaEventDestroy(handle_); }

  void record(cudaStream_t stream) { ONEFOLD_CUDA_TRY(cudaEventRecord(handle_, stream)); }
  double microseconds_since(const event& earlier) const {
    float milliseconds = 0;
    ONEFOLD_CUDA_TRY(cudaEventSynchronize(handle_));
    ONEFOLD_CUDA_TRY(cudaEventElapsedTime(&milliseconds, earlier.handle_, handle_));
    return milliseconds * 1e3;
  }

 private:
  cudaEvent_t handle_ = nullptr;
};

/// `calls` calls of the work, ready to be replayed.
class batch {
 public:
  batch(cudaStream_t stream, const std::function<void()>& work, int calls)
      : stream_(stream), calls_(calls) {
    ONEFOLD_CUDA_TRY(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    for (int i = 0; i < calls; ++i) work();
    ONEFOLD_CUDA_TRY(cudaStreamEndCapture(stream, &graph_));
    ONEFOLD_CUDA_TRY(cudaGraphInstantiate(&replay_, graph_, 0));
  }
  batch(const batch&) = delete;
  batch& operator=(const batch&) = delete;
  ~batch() {
    cudaGraphExecDestroy(replay_);
    cudaGraphDestroy(graph_);
  }

  double microseconds_a_call() {
    event begin, end;
    begin.record(stream_);
    ONEFOLD_CUDA_TRY(cudaGraphLaunch(replay_, stream_));
    end.record(stream_);
    return end.microseconds_since(begin) / calls_;
  }

 private:
  cudaStream_t stream_;
  int calls_;
  cudaGraph_t graph_ = nullptr;
  cudaGraphExec_t replay_ = nullptr;
};

}  // namespace

gpu_times time_on_stream(cudaStream_t stream, const std::function<void()>& work) {
  batch one(stream, work, 1);
  one.microseconds_a_call();  // the first replay loads what is not loaded yet
  const double rough = one.microseconds_a_call();
  const int calls = std::clamp(static_cast<int>(std::ceil(batch_us / rough)), 1, most_calls);
  batch many(stream, work, calls);
  many.microseconds_a_call();
  std::array<double, samples> us;
  for (double& sample : us) sample = many.microseconds_a_call();
  std::ranges::sort(us);
  return {us[samples / 2], us[samples / 4], us[samples - 1 - samples / 4]};
}

}  // namespace onefold::ladder
