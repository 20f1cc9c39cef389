// SPDX-License-Identifier: Apache-2.0
// The pool of slots, and the buffers of a slot.
#include "cuda/runtime/slot.hpp"

#include <algorithm>
#include <iterator>
#include <mutex>
#include <utility>
#include <vector>

#include "cuda/runtime/failure.hpp"

namespace onefold::cuda {
namespace {

constexpr std::int64_t word_capacity = 2048;
// A few threads may reduce at once; slots beyond that number are freed to save memory.
constexpr std::size_t most_kept = 8;

struct shelf {
  std::mutex mutex;
  std::vector<std::unique_ptr<slot>> kept;
};

// Never destroyed: at process exit the driver may be gone before.
shelf& all() {
  static auto* const only = new shelf;
  return *only;
}

// Host memory that kernels write.
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
    words_ = mapped_words(word_capacity);
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
  return_all(), own_ = {};
  cudaFreeHost(words_);
  cudaFreeHost(chunk_words_);
  cudaFreeHost(staging_);
  if (stream_ != nullptr) cudaStreamDestroy(stream_);
  cudaGetLastError();
}

void* slot::workspace(std::size_t bytes) {
  device_block& block = blocks().workspace;
  if (bytes <= block.bytes()) return block.data();
  const memory_source from = source();
  block = device_block(from, bytes, "device memory for the workspace");
  check(cudaMemsetAsync(block.data(), 0, bytes, from.stream), "cudaMemset");
  // The slot's own workspace is used on streams of callers too.
  if (from.resource == nullptr) check(cudaStreamSynchronize(stream_), "clearing the workspace");
  return block.data();
}

std::byte* slot::scratch(std::size_t bytes) {
  device_block& block = blocks().scratch;
  if (block.bytes() < bytes) {
    block = {};
    block = device_block(source(), bytes, "device memory for scratch");
  }
  return block.data();
}

void slot::reserve_chunk_words(std::int64_t count) {
  if (count <= chunk_words_count_) return;
  chunk_words_count_ = 0;
  cudaFreeHost(std::exchange(chunk_words_, mapped_words(count)));
  device_chunk_words_ = address_on_device(chunk_words_);
  chunk_words_count_ = count;
}

void slot::reserve_window(std::size_t bytes, bool staged) {
  device_block& block = blocks().buffer;
  if (block.bytes() < bytes) {
    block = {};
    block = device_block(source(), bytes, "device memory for a window");
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
    // The most recently returned slot: it has the buffers that this kind of call needs.
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
  mine_->return_all();
  shelf& to = all();
  const std::lock_guard lock(to.mutex);
  if (to.kept.size() < most_kept) to.kept.push_back(std::move(mine_));
}

}  // namespace onefold::cuda
