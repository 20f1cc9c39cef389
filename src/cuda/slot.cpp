// SPDX-License-Identifier: Apache-2.0
#include "cuda/slot.hpp"

#include <algorithm>
#include <iterator>
#include <mutex>
#include <utility>
#include <vector>

#include "cuda/failure.hpp"

namespace onefold::cuda {
namespace {

constexpr std::int64_t room_for_words = 2048;
// A few threads may reduce at once; beyond that memory is worth more than time.
constexpr std::size_t most_kept = 8;

struct shelf {
  std::mutex mutex;
  std::vector<std::unique_ptr<slot>> kept;
};

// Never destroyed: at the end of the process the driver may be gone before.
shelf& all() {
  static auto* const only = new shelf;
  return *only;
}

template <class T>
T* on_device(std::size_t bytes, const char* what) {
  void* made = nullptr;
  check(cudaMalloc(&made, bytes), what);
  return static_cast<T*>(made);
}

// Of the host, and written by kernels.
std::int64_t* mapped_words(std::int64_t count) {
  void* made = nullptr;
  check(cudaHostAlloc(&made, std::size_t(count) * sizeof(std::int64_t), cudaHostAllocMapped),
        "pinned memory for words");
  return static_cast<std::int64_t*>(made);
}

std::int64_t* address_on_device(std::int64_t* words) {
  void* there = nullptr;
  check(cudaHostGetDevicePointer(&there, words, 0), "cudaHostGetDevicePointer");
  return static_cast<std::int64_t*>(there);
}

}  // namespace

slot::slot(int device) : device_(device) {
  try {
    check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreate");
    words_ = mapped_words(room_for_words);
    device_words_ = address_on_device(words_);
  } catch (...) {
    release();
    throw;
  }
}

slot::~slot() {
  release();
}

void slot::release() noexcept {
  if (stream_ != nullptr) cudaStreamSynchronize(stream_);
  cudaFree(workspace_);
  cudaFree(buffer_);
  cudaFreeHost(words_);
  cudaFreeHost(chunk_words_);
  cudaFreeHost(staging_);
  if (stream_ != nullptr) cudaStreamDestroy(stream_);
  cudaGetLastError();
}

void* slot::workspace(std::size_t bytes) {
  if (bytes <= workspace_bytes_) return workspace_;
  void* const made = on_device<void>(bytes, "device memory for the workspace");
  cudaFree(std::exchange(workspace_, made));
  workspace_bytes_ = bytes;
  check(cudaMemsetAsync(workspace_, 0, bytes, stream_), "cudaMemset");
  check(cudaStreamSynchronize(stream_), "clearing the workspace");
  return workspace_;
}

void slot::reserve_chunk_words(std::int64_t count) {
  if (count <= chunk_words_count_) return;
  chunk_words_count_ = 0;
  cudaFreeHost(std::exchange(chunk_words_, mapped_words(count)));
  device_chunk_words_ = address_on_device(chunk_words_);
  chunk_words_count_ = count;
}

void slot::reserve_window(std::size_t bytes, bool staged) {
  if (buffer_bytes_ < bytes) {
    cudaFree(std::exchange(buffer_, nullptr));
    buffer_bytes_ = 0;
    buffer_ = on_device<std::byte>(bytes, "device memory for a window");
    buffer_bytes_ = bytes;
  }
  if (!staged || staging_bytes_ >= bytes) return;
  cudaFreeHost(std::exchange(staging_, nullptr));
  staging_bytes_ = 0;
  void* made = nullptr;
  check(cudaHostAlloc(&made, bytes, cudaHostAllocDefault), "pinned memory for a window");
  staging_ = static_cast<std::byte*>(made);
  staging_bytes_ = bytes;
}

borrowed_slot::borrowed_slot(int device) {
  shelf& from = all();
  {
    const std::lock_guard lock(from.mutex);
    // The one that came back last: it has what its kind of call needs.
    const auto found = std::find_if(from.kept.rbegin(), from.kept.rend(),
                                    [&](const auto& each) { return each->device() == device; });
    if (found != from.kept.rend()) {
      mine_ = std::move(*found);
      from.kept.erase(std::next(found).base());
    }
  }
  if (!mine_) mine_ = std::make_unique<slot>(device);
}

bool drop_kept_slots(int device) {
  shelf& from = all();
  std::vector<std::unique_ptr<slot>> dropped;
  const std::lock_guard lock(from.mutex);
  const auto others = std::stable_partition(from.kept.begin(), from.kept.end(),
                                            [&](auto& each) { return each->device() != device; });
  std::move(others, from.kept.end(), std::back_inserter(dropped));
  from.kept.erase(others, from.kept.end());
  return !dropped.empty();
}

void borrowed_slot::give_back() {
  shelf& to = all();
  const std::lock_guard lock(to.mutex);
  if (to.kept.size() < most_kept) to.kept.push_back(std::move(mine_));
}

}  // namespace onefold::cuda
