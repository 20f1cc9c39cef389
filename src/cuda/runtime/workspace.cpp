// SPDX-License-Identifier: Apache-2.0
// The pool of workspaces for asynchronous launches.
#include "cuda/runtime/workspace.hpp"

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "cuda/runtime/devices.hpp"
#include "cuda/runtime/failure.hpp"

namespace onefold::cuda {
namespace {

struct own_workspace {
  int device;
  void* memory;
  std::size_t bytes;
  cudaStream_t last;   // that used it last
  cudaEvent_t passed;  // recorded after that use, unless it was by the default stream

  // That stream keeps what it used: its work is in order without events. Another stream's number
  // may come back after it was destroyed.
  bool is_default_streams() const { return last == nullptr; }
};

// One workspace for each stream that reduces at the same time; streams beyond that number wait for
// each other.
constexpr std::size_t most_kept = 8;

struct shelf {
  std::mutex mutex;
  std::vector<own_workspace> kept;  // in the order of their return
};

// Never destroyed: at process exit the driver may be gone before.
shelf& all() {
  static auto* const only = new shelf;
  return *only;
}

// The best of those that are large enough: one of this stream; else one whose last use has
// completed; else, where the pool is full, the least recently used one.
std::optional<own_workspace> taken(int device, std::size_t bytes, cudaStream_t stream) {
  shelf& from = all();
  const std::lock_guard lock(from.mutex);
  auto& kept = from.kept;
  const auto fits = [&](const own_workspace& w) {
    return w.device == device && w.bytes >= bytes && (!w.is_default_streams() || stream == nullptr);
  };
  auto found = std::find_if(kept.begin(), kept.end(),
                            [&](const auto& w) { return fits(w) && w.last == stream; });
  if (found == kept.end())
    found = std::find_if(kept.begin(), kept.end(), [&](const own_workspace& w) {
      return fits(w) && cudaEventQuery(w.passed) == cudaSuccess;
    });
  if (found == kept.end() && kept.size() >= most_kept)
    found = std::find_if(kept.begin(), kept.end(), fits);
  cudaGetLastError();  // "not ready" is no error
  if (found == kept.end()) return std::nullopt;
  const own_workspace got = *found;
  kept.erase(found);
  return got;
}

void destroy(const own_workspace& w) noexcept {
  int before = 0;
  cudaGetDevice(&before), cudaSetDevice(w.device);
  if (w.is_default_streams())
    cudaStreamSynchronize(w.last);
  else
    cudaEventSynchronize(w.passed);
  cudaEventDestroy(w.passed), cudaFree(w.memory);
  cudaSetDevice(before);
  cudaGetLastError();
}

// Returns a workspace to the pool; a full pool frees the least recently used one.
void keep(const own_workspace& w) {
  std::optional<own_workspace> old;
  {
    shelf& to = all();
    const std::lock_guard lock(to.mutex);
    if (to.kept.size() >= most_kept) {
      old = to.kept.front();
      to.kept.erase(to.kept.begin());
    }
    to.kept.push_back(w);
  }
  if (old) destroy(*old);
}

void check_given(const device_buffer& given, std::size_t bytes) {
  const bool aligned = reinterpret_cast<std::uintptr_t>(given.data) % device_alignment == 0;
  if (given.bytes >= bytes && aligned) return;
  throw error({status_code::usage,
               aligned ? "options::workspace has " + std::to_string(given.bytes) +
                             " bytes, and this request needs " + std::to_string(bytes) +
                             "; workspace_size() returns it"
                       : std::string("options::workspace is not aligned; give it memory that "
                                     "begins at a multiple of 256 bytes, as cudaMalloc's does")});
}

}  // namespace

workspace_lease::workspace_lease(const executor::cuda& on, const device_buffer& given, int device,
                                 std::size_t bytes)
    : stream_(static_cast<cudaStream_t>(on.stream)) {
  if (bytes == 0) return;
  if (given.data != nullptr) {
    check_given(given, bytes);
    whose_ = owner::caller, memory_ = given.data;
    return;
  }
  try {
    if (is_capturing(on))
      capture(bytes);
    else if (on.memory != nullptr)
      borrow({on.memory, stream_}, bytes);
    else
      lease_own(device, bytes);
  } catch (...) {
    release();
    throw;
  }
}

void workspace_lease::borrow(const memory_source& from, std::size_t bytes) {
  lent_ = device_block(from, bytes, "device memory for a workspace", "give options::workspace");
  memory_ = lent_.data();
  check(cudaMemsetAsync(memory_, 0, cleared_bytes, stream_), "clearing the workspace");
}

// A graph may be launched when all workspaces are in use elsewhere: it has its own.
void workspace_lease::capture(std::size_t bytes) {
  check(cudaMallocAsync(&memory_, bytes, stream_), "device memory for the workspace of a graph");
  whose_ = owner::graph;
  check(cudaMemsetAsync(memory_, 0, cleared_bytes, stream_), "clearing the workspace");
}

void workspace_lease::lease_own(int device, std::size_t bytes) {
  whose_ = owner::engine, device_ = device, bytes_ = bytes;
  if (const auto kept = taken(device, bytes, stream_)) {
    memory_ = kept->memory, bytes_ = kept->bytes, passed_ = kept->passed;
    if (!kept->is_default_streams())
      check(cudaStreamWaitEvent(stream_, passed_, 0), "cudaStreamWaitEvent");
    return;
  }
  check(cudaMalloc(&memory_, bytes), "device memory for the workspace");
  check(cudaEventCreateWithFlags(&passed_, cudaEventDisableTiming), "cudaEventCreate");
  check(cudaMemsetAsync(memory_, 0, cleared_bytes, stream_), "clearing the workspace");
}

void workspace_lease::pass_on() {
  if (whose_ == owner::engine) {
    const own_workspace used = {device_, memory_, bytes_, stream_, passed_};
    if (!used.is_default_streams()) check(cudaEventRecord(passed_, stream_), "cudaEventRecord");
    keep(used);
  }
  if (whose_ == owner::graph) check(cudaFreeAsync(memory_, stream_), "cudaFreeAsync");
  whose_ = owner::nobody, lent_ = {};
}

workspace_lease::~workspace_lease() {
  release();
}

void workspace_lease::release() noexcept {
  if (whose_ == owner::engine) {
    cudaStreamSynchronize(stream_);
    if (passed_ != nullptr) cudaEventDestroy(passed_);
    cudaFree(memory_);
    cudaGetLastError();
  }
  if (whose_ == owner::graph) {
    cudaFreeAsync(memory_, stream_);
    cudaGetLastError();
  }
  whose_ = owner::nobody, lent_ = {};
}

}  // namespace onefold::cuda
