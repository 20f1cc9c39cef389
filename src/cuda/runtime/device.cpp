// SPDX-License-Identifier: Apache-2.0
// Device properties, the device of an executor, and the memory that an address is in.
#include "cuda/runtime/device.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <numeric>
#include <string>

#include "cuda/runtime/devices.hpp"

namespace onefold::cuda {
namespace {

status no_device(const std::string& why) {
  return {status_code::unsupported,
          "no CUDA device: " + why + "; the CPU needs none (executor::cpu, --device cpu)"};
}

std::string version(int number) {
  return std::to_string(number / 1000) + "." + std::to_string(number % 1000 / 10);
}

int driver_version() {
  int driver = 0;
  if (cudaDriverGetVersion(&driver) != cudaSuccess) cudaGetLastError();
  return driver;
}

/// Why there is no device, as cudaGetDeviceCount answers.
std::string reason_of(cudaError_t code) {
  const int driver = driver_version();
  if (driver == 0) return "this machine has no NVIDIA driver";
  if (code == cudaErrorInsufficientDriver)
    return "the NVIDIA driver is for CUDA " + version(driver) + ", and this library needs CUDA " +
           std::to_string(CUDART_VERSION / 1000) + ": install a newer driver";
  return code == cudaSuccess ? "the driver sees none" : cudaGetErrorString(code);
}

using known_facts = std::array<std::atomic<int>, 64>;

/// An attribute of a device, cached; 1 for devices beyond the size of the cache.
int fact_of(known_facts& known, int device, cudaDeviceAttr which) {
  if (device < 0 || device >= int(known.size())) return 1;
  int fact = known[std::size_t(device)].load(std::memory_order_relaxed);
  if (fact == 0) {
    check(cudaDeviceGetAttribute(&fact, which, device), "cudaDeviceGetAttribute");
    known[std::size_t(device)].store(fact, std::memory_order_relaxed);
  }
  return fact;
}

}  // namespace

device_guard::device_guard(int device) {
  check(cudaGetDevice(&before_), "cudaGetDevice");
  check(cudaSetDevice(device), "cudaSetDevice");
}

device_guard::~device_guard() {
  cudaSetDevice(before_);
}

memory_facts memory_of(const void* address) {
  cudaPointerAttributes facts{};
  check(cudaPointerGetAttributes(&facts, address), "cudaPointerGetAttributes");
  switch (facts.type) {
  case cudaMemoryTypeDevice:
  case cudaMemoryTypeManaged:
    return {memory::device, facts.device};
  case cudaMemoryTypeHost:
    return {memory::pinned, -1};
  default:
    return {};
  }
}

int device_count() {
  int count = 0;
  const cudaError_t code = cudaGetDeviceCount(&count);
  if (code == cudaSuccess && count > 0) return count;
  cudaGetLastError();
  throw error(no_device(reason_of(code)));
}

int device_of(const executor::cuda& on) {
  const int count = device_count();
  if (on.device >= count)
    throw error(
        {status_code::unsupported, "there is no CUDA device " + std::to_string(on.device) +
                                       ", only " + std::to_string(count) +
                                       " of them, counted from 0; onefold doctor lists them"});
  if (on.device >= 0) return on.device;
  int current = 0;
  check(cudaGetDevice(&current), "cudaGetDevice");
  return current;
}

int device_of_all(const executor::cuda& on, std::initializer_list<const void*> addresses) {
  device_of(on);
  int device = -1;
  for (const void* const address : addresses) {
    if (address == nullptr) continue;
    const memory_facts found = memory_of(address);
    if (found.kind != memory::device)
      throw error(
          {status_code::unsupported,
           std::string("the CUDA engine takes these rows in device memory alone, and an array "
                       "is in host memory") +
               use_the_cpu});
    if (device >= 0 && found.device != device)
      throw error({status_code::mismatch, "the arrays are in the memory of devices " +
                                              std::to_string(device) + " and " +
                                              std::to_string(found.device) + "; copy one of them"});
    device = found.device;
  }
  if (on.device >= 0 && device != on.device)
    throw error({status_code::mismatch, "the arrays are in the memory of device " +
                                            std::to_string(device) + ", and the executor's is " +
                                            std::to_string(on.device)});
  return device;
}

unsigned multiprocessors_of(int device) {
  static known_facts known{};
  return unsigned(fact_of(known, device, cudaDevAttrMultiProcessorCount));
}

std::size_t shared_bytes_of(int device) {
  static known_facts known{};
  return std::size_t(fact_of(known, device, cudaDevAttrMaxSharedMemoryPerBlockOptin));
}

int float32_per_float64_of(int device) {
  static known_facts known{};
  return fact_of(known, device, cudaDevAttrSingleToDoublePrecisionPerfRatio);
}

bool is_capturing(const executor::cuda& on) {
  cudaStreamCaptureStatus now = cudaStreamCaptureStatusNone;
  const cudaError_t code = cudaStreamIsCapturing(static_cast<cudaStream_t>(on.stream), &now);
  if (code == cudaSuccess) return now != cudaStreamCaptureStatusNone;
  cudaGetLastError();
  return code == cudaErrorStreamCaptureImplicit;  // the default stream, while another one captures
}

status check_device(const executor::cuda& on) try {
  device_of(on);
  return {};
} catch (const error& failed) {
  return failed.why();
}

result<std::vector<int>> numbers_of(const executor::devices& devices) try {
  std::vector<int> numbers = devices.numbers;
  if (numbers.empty()) {
    numbers.resize(std::size_t(device_count()));
    std::iota(numbers.begin(), numbers.end(), 0);
  }
  for (const int number : numbers) {
    if (number < 0) throw error({status_code::unsupported, "devices are counted from 0"});
    device_of({.device = number});
    if (std::count(numbers.begin(), numbers.end(), number) > 1)
      throw error({status_code::usage,
                   "device " + std::to_string(number) + " is named twice in executor::devices"});
  }
  return numbers;
} catch (const error& failed) {
  return failed.why();
}

bool lies_on_device(const void* address) try {
  return memory_of(address).kind == memory::device;
} catch (const error&) {
  return false;
}

status copy_to_device(const executor::cuda& on, void* to, const void* from, std::size_t bytes) try {
  auto* const stream = static_cast<cudaStream_t>(on.stream);
  const memory_facts facts = memory_of(to);
  const device_guard here(facts.device >= 0 ? facts.device : device_of(on));
  check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream), "cudaMemcpyAsync");
  check(cudaStreamSynchronize(stream), "copying the answer to the device");
  return {};
} catch (const error& failed) {
  return failed.why();
}

survey find_devices() try {
  survey found;
  const int count = device_count();
  int runtime = 0;
  check(cudaRuntimeGetVersion(&runtime), "cudaRuntimeGetVersion");
  found.driver = version(driver_version());
  found.runtime = version(runtime);
  for (int i = 0; i < count; ++i) {
    cudaDeviceProp properties{};
    check(cudaGetDeviceProperties(&properties, i), "cudaGetDeviceProperties");
    found.devices.push_back({properties.name, properties.totalGlobalMem});
  }
  return found;
} catch (const error& failed) {
  return {failed.why().message(), "", "", {}};
}

}  // namespace onefold::cuda
