// SPDX-License-Identifier: Apache-2.0
#include "ladder/gpu/gpu.hpp"

#include "ladder/gpu/cuda_backend.hpp"
#include "ladder/gpu/timing.hpp"
#include "ladder/trial/try_rung.hpp"

#include <fmt/format.h>

namespace onefold::ladder {
namespace {

std::string version(int number) {
  return fmt::format("{}.{}", number / 1000, number % 1000 / 10);
}

gpu describe() {
  cudaDeviceProp properties{};
  int driver = 0, runtime = 0;
  ONEFOLD_CUDA_TRY(cudaGetDeviceProperties(&properties, 0));
  ONEFOLD_CUDA_TRY(cudaDriverGetVersion(&driver));
  ONEFOLD_CUDA_TRY(cudaRuntimeGetVersion(&runtime));
  return {properties.name, static_cast<unsigned>(properties.multiProcessorCount), version(driver),
          version(runtime)};
}

gpu_search search() {
  int count = 0, driver = 0;
  const cudaError_t code = cudaGetDeviceCount(&count);
  if (cudaDriverGetVersion(&driver) == cudaSuccess && driver == 0) {
    return {{}, "no GPU: this machine has no NVIDIA driver; the executor needs none"};
  }
  cudaGetLastError();
  if (code != cudaSuccess) {
    return {{}, fmt::format("no GPU: {}; the executor needs none", cudaGetErrorString(code))};
  }
  if (count == 0) return {{}, "no GPU: the driver sees none; the executor needs none"};
  try {
    return {describe(), ""};
  } catch (const std::runtime_error& error) {
    return {{}, fmt::format("no GPU: {}", error.what())};
  }
}

trial_options on_device(const rung& r, trial_options options) {
  if (options.drive == driver::host && r.kind == work::reduce) options.drive = device_driver(r);
  validate(r, options);
  return options;
}

}  // namespace

const gpu_search& find_gpu() {
  static const gpu_search once = search();
  return once;
}

bool has_gpu_kernel(const rung& r, const trial_options& options) {
  const cuda_backend where;
  return find_kernel(where, r.name, options.type, options.op) != nullptr;
}

driver device_driver(const rung& r) {
  return r.grid_stride ? driver::second_launch : driver::passes;
}

answer run_on_gpu(const rung& r, const trial_options& options) {
  validate(r, options);
  cuda_backend where;
  const auto work = make_problem(r, options, where);
  work->run();
  where.wait();
  return work->check();
}

gpu_trial try_on_gpu(const rung& r, const trial_options& options) {
  cuda_backend where;
  const auto work = make_problem(r, on_device(r, options), where);
  work->run();
  where.wait();
  gpu_trial result{work->check(), work->grid(), work->least_bytes(), {}};
  result.times = time_on_stream(static_cast<cudaStream_t>(where.stream()), [&] { work->run(); });
  if (const answer again = work->check(); result.outcome.right && !again.right) {
    result.outcome = again;
  }
  return result;
}

}  // namespace onefold::ladder
