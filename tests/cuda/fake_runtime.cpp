// SPDX-License-Identifier: Apache-2.0
// Streams are lists of work that is done when somebody waits for them, and not a moment before, or
// at once if the test wants that: a buffer that is used again or read too early gives wrong
// answers. Device memory is the host's, remembered by address. Streams and memory belong to the
// device that was current, and a stream takes work while that is current alone. One call at a time.
#include "cuda/fake_runtime.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

#include "cuda/runtime/driver.hpp"

namespace onefold::cuda::test {
namespace {

/// The calls take turns, with the kernels that they run.
class turn {
  static inline std::recursive_mutex all;
  std::lock_guard<std::recursive_mutex> lock{all};
};

struct stream_work {
  std::deque<std::function<void()>> left;
  std::uint64_t enqueued = 0, begun = 0;
  int device = 0;
};

struct allocation {
  std::size_t bytes;
  cudaMemoryType type;
  int device;
};

std::map<const char*, allocation> memory;
std::map<cudaStream_t, stream_work> streams;
int calls_to_failure = 0;
int allocated = 0;
int devices = 1;
int driver = CUDART_VERSION;
thread_local int current = 0;
std::set<int> used;
bool eager = false, quick_link = false;
std::size_t most_bytes = 0;
cudaError_t failure = cudaErrorMemoryAllocation;

constexpr std::size_t fake_memory_bytes = std::size_t(1) << 30;

bool is_full(std::size_t more) {
  for (const auto& [at, each] : memory) more += each.bytes;
  return most_bytes > 0 && more > most_bytes;
}

int waits = 0, records = 0;
std::set<cudaEvent_t> events;
std::map<cudaStream_t, bool> captured;
/// A place in the work of a stream.
struct stream_place {
  cudaStream_t stream = nullptr;
  std::uint64_t enqueued = 0;
};
std::map<cudaEvent_t, stream_place> recorded;

void run(const stream_place& to) {
  stream_work& work = streams[to.stream];
  while (!work.left.empty() && work.begun < to.enqueued) {
    const auto next = std::move(work.left.front());
    work.left.pop_front(), ++work.begun;
    next();
  }
}

void run(cudaStream_t stream) {
  run({stream, streams[stream].enqueued});
}

void run_all() {
  std::vector<cudaStream_t> all;
  for (const auto& [stream, work] : streams) all.push_back(stream);
  for (auto* const each : all) run(each);
}

bool fails() {
  return calls_to_failure > 0 && --calls_to_failure == 0;
}

const std::pair<const char* const, allocation>* allocation_of(const void* address) {
  const auto* at = static_cast<const char*>(address);
  auto next = memory.upper_bound(at);
  if (next == memory.begin()) return nullptr;
  --next;
  return at < next->first + next->second.bytes ? &*next : nullptr;
}

cudaError_t allocate(void** to, std::size_t bytes, cudaMemoryType type) {
  if (is_full(bytes)) return cudaErrorMemoryAllocation;
  if (fails()) return failure;
  auto* const made = static_cast<char*>(std::aligned_alloc(256, (bytes + 255) / 256 * 256));
  std::memset(made, 0xA5, bytes);
  memory[made] = {bytes, type, current};
  ++allocated;
  *to = made;
  return cudaSuccess;
}

cudaError_t release(void* address) {
  if (address == nullptr) return cudaSuccess;
  if (memory.erase(static_cast<const char*>(address)) == 0) std::abort();
  std::free(address);
  return cudaSuccess;
}

cudaError_t enqueue_on(cudaStream_t stream, std::function<void()> work) {
  if (fails()) return failure;
  if (stream != nullptr && streams[stream].device != current) return cudaErrorInvalidResourceHandle;
  used.insert(current);
  streams[stream].left.push_back(std::move(work)), ++streams[stream].enqueued;
  if (eager) run(stream);
  return cudaSuccess;
}

}  // namespace

bool is_known(const void* address) {
  const turn lock;
  return allocation_of(address) != nullptr;
}

int enqueue(void* stream, std::function<void()> work) {
  return int(enqueue_on(static_cast<cudaStream_t>(stream), std::move(work)));
}

bool has_failed() {
  return calls_to_failure == 0;
}

void limit_memory(std::size_t bytes) {
  most_bytes = bytes;
}

void make_link_quick(bool quick) {
  quick_link = quick;
}

void have_devices(int count) {
  devices = count;
  used.clear();
}

void have_driver(int version) {
  driver = version;
}

int devices_used() {
  return int(used.size());
}

void fail_with(int code) {
  failure = cudaError_t(code);
}

void fail_call(int n) {
  calls_to_failure = n;
}

void be_eager(bool now) {
  eager = now;
}

int allocations() {
  return allocated;
}

int waits_so_far() {
  return waits;
}

int records_so_far() {
  return records;
}

void capture(void* stream, bool now) {
  captured[static_cast<cudaStream_t>(stream)] = now;
}

int things_alive() {
  return int(memory.size() + events.size() + streams.size() - streams.count(nullptr));
}

}  // namespace onefold::cuda::test

namespace onefold::cuda {

bool driver_has_on_device(const void* address) noexcept {
  const test::turn lock;
  const auto* found = test::allocation_of(address);
  return found != nullptr && found->second.type != cudaMemoryTypeHost;
}
transfer_rates host_transfer() noexcept {
  return {test::quick_link ? 1e18 : 0, 1e9, 0};
}
}  // namespace onefold::cuda

using onefold::cuda::test::allocate;
using onefold::cuda::test::enqueue_on;
using onefold::cuda::test::fails;
using onefold::cuda::test::failure;
using onefold::cuda::test::turn;

extern "C" {

cudaError_t cudaGetDevice(int* device) {
  const turn lock;
  return *device = onefold::cuda::test::current, fails() ? failure : cudaSuccess;
}
cudaError_t cudaSetDevice(int device) {
  return onefold::cuda::test::current = device, cudaSuccess;
}
cudaError_t cudaGetDeviceCount(int* count) {
  *count = onefold::cuda::test::devices;
  if (onefold::cuda::test::driver < CUDART_VERSION) return cudaErrorInsufficientDriver;
  return *count == 0 ? cudaErrorNoDevice : cudaSuccess;
}
cudaError_t cudaGetLastError() {
  return cudaSuccess;
}
const char* cudaGetErrorString(cudaError_t) {
  return "a planted failure";
}
cudaError_t cudaDriverGetVersion(int* version) {
  return *version = onefold::cuda::test::driver, cudaSuccess;
}
cudaError_t cudaRuntimeGetVersion(int* version) {
  return *version = CUDART_VERSION, cudaSuccess;
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* to, int) {
  std::strcpy(to->name, "none");
  return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int* to, cudaDeviceAttr, int) {
  const turn lock;
  return *to = 4, fails() ? failure : cudaSuccess;
}
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* to, const void* address) {
  const turn lock;
  const auto* found = onefold::cuda::test::allocation_of(address);
  *to = {};
  to->type = found != nullptr ? found->second.type : cudaMemoryTypeUnregistered;
  to->device = found != nullptr && to->type != cudaMemoryTypeHost ? found->second.device : -1;
  return fails() ? failure : cudaSuccess;
}
cudaError_t cudaMalloc(void** to, std::size_t bytes) {
  const turn lock;
  return allocate(to, bytes, cudaMemoryTypeDevice);
}
cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* all) {
  const turn lock;
  return *free = *all = onefold::cuda::test::fake_memory_bytes, fails() ? failure : cudaSuccess;
}
cudaError_t cudaMallocManaged(void** to, std::size_t bytes, unsigned) {
  const turn lock;
  return allocate(to, bytes, cudaMemoryTypeManaged);
}
cudaError_t cudaHostAlloc(void** to, std::size_t bytes, unsigned) {
  const turn lock;
  return allocate(to, bytes, cudaMemoryTypeHost);
}
cudaError_t cudaHostGetDevicePointer(void** to, void* host, unsigned) {
  const turn lock;
  return *to = host, fails() ? failure : cudaSuccess;
}
// Not before the device has done all that it was given.
cudaError_t cudaFree(void* address) {
  const turn lock;
  if (address != nullptr) onefold::cuda::test::run_all();
  return onefold::cuda::test::release(address);
}
// Pools of memory are used where a stream is captured alone.
cudaError_t cudaMallocAsync(void** to, std::size_t bytes, cudaStream_t stream) {
  const turn lock;
  if (!onefold::cuda::test::captured[stream]) return cudaErrorNotSupported;
  return allocate(to, bytes, cudaMemoryTypeDevice);
}
cudaError_t cudaFreeAsync(void* address, cudaStream_t stream) {
  const turn lock;
  return enqueue_on(stream, [=] { onefold::cuda::test::release(address); });
}
cudaError_t cudaFreeHost(void* address) {
  const turn lock;
  return onefold::cuda::test::release(address);
}
// On the default stream, and back when it is done.
cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind) {
  const turn lock;
  onefold::cuda::test::run(nullptr);
  return std::memcpy(to, from, bytes), cudaSuccess;
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind,
                            cudaStream_t stream) {
  const turn lock;
  return enqueue_on(stream, [=] { std::memcpy(to, from, bytes); });
}
cudaError_t cudaMemsetAsync(void* at, int value, std::size_t bytes, cudaStream_t stream) {
  const turn lock;
  return enqueue_on(stream, [=] { std::memset(at, value, bytes); });
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* to, unsigned) {
  const turn lock;
  static std::uintptr_t last = 0;
  if (fails()) return failure;
  *to = reinterpret_cast<cudaStream_t>(++last * 8);
  onefold::cuda::test::streams[*to].device = onefold::cuda::test::current;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  const turn lock;
  *least = 0, *greatest = -5;
  return fails() ? failure : cudaSuccess;
}
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* to, unsigned flags, int priority) {
  return priority < -5 || priority > 0 ? failure : cudaStreamCreateWithFlags(to, flags);
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  const turn lock;
  return onefold::cuda::test::streams.erase(stream), cudaSuccess;
}
// Streams wait for one another by doing the other's work, up to the event, first.
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* to, unsigned) {
  const turn lock;
  static std::uintptr_t last = 0;
  if (fails()) return failure;
  *to = reinterpret_cast<cudaEvent_t>(++last * 8);
  return onefold::cuda::test::events.insert(*to), cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  const turn lock;
  if (fails()) return failure;
  ++onefold::cuda::test::records;
  onefold::cuda::test::recorded[event] = {stream, onefold::cuda::test::streams[stream].enqueued};
  return cudaSuccess;
}
cudaError_t cudaEventQuery(cudaEvent_t event) {
  const turn lock;
  const auto& at = onefold::cuda::test::recorded[event];
  const auto& work = onefold::cuda::test::streams[at.stream];
  const bool done = work.left.empty() || work.begun >= at.enqueued;
  return done ? cudaSuccess : cudaErrorNotReady;
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  const turn lock;
  return onefold::cuda::test::run(onefold::cuda::test::recorded[event]), cudaSuccess;
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  const turn lock;
  return onefold::cuda::test::events.erase(event), cudaSuccess;
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  const turn lock;
  const auto before = onefold::cuda::test::recorded[event];
  if (before.stream == stream) return fails() ? failure : cudaSuccess;
  return enqueue_on(stream, [=] { onefold::cuda::test::run(before); });
}
cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* to) {
  const turn lock;
  const bool now = onefold::cuda::test::captured[stream];
  *to = now ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
  return cudaSuccess;
}
// There are no graphs: tests that need one are skipped.
cudaError_t cudaStreamBeginCapture(cudaStream_t, cudaStreamCaptureMode) {
  return cudaErrorNotSupported;
}
cudaError_t cudaStreamEndCapture(cudaStream_t, cudaGraph_t*) {
  return cudaErrorNotSupported;
}
cudaError_t cudaGraphInstantiate(cudaGraphExec_t*, cudaGraph_t, unsigned long long) {
  return cudaErrorNotSupported;
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t, cudaStream_t) {
  return cudaErrorNotSupported;
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t) {
  return cudaErrorNotSupported;
}
cudaError_t cudaGraphDestroy(cudaGraph_t) {
  return cudaErrorNotSupported;
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  const turn lock;
  ++onefold::cuda::test::waits;
  onefold::cuda::test::run(stream);
  return fails() ? failure : cudaSuccess;
}
}
