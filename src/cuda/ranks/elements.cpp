// SPDX-License-Identifier: Apache-2.0
// Element by element: each rank receives its share of every rank's vector, reduces the columns and
// sends the answers to all. Blocks of the vector follow each other in two slots, so that one block
// is reduced, on a stream of its own, while the next one is received.
#include <algorithm>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "cuda/device.hpp"
#include "cuda/ranks/nccl.hpp"
#include "cuda/ranks/ranks.hpp"
#include "cuda/ranks/shares.hpp"
#include "cuda/workspace.hpp"

namespace onefold::cuda {
namespace {

constexpr int slots = 2;
constexpr std::size_t own_workspace_bytes = std::size_t(128) << 20;

/// A second stream, and the events that order it with the caller's.
class side_stream {
 public:
  explicit side_stream(int device) : device_(device) {
    try {
      check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreate");
      for (cudaEvent_t* each : {&began, &received[0], &received[1], &reduced[0], &reduced[1]})
        check(cudaEventCreateWithFlags(each, cudaEventDisableTiming), "cudaEventCreate");
    } catch (...) {
      release();
      throw;
    }
  }
  side_stream(const side_stream&) = delete;
  side_stream& operator=(const side_stream&) = delete;
  ~side_stream() { release(); }

  int device() const noexcept { return device_; }

  cudaStream_t stream = nullptr;
  cudaEvent_t began = nullptr, received[slots] = {}, reduced[slots] = {};

 private:
  void release() noexcept {
    if (stream != nullptr) cudaStreamSynchronize(stream), cudaStreamDestroy(stream);
    for (cudaEvent_t each : {began, received[0], received[1], reduced[0], reduced[1]})
      if (each != nullptr) cudaEventDestroy(each);
    cudaGetLastError();
  }

  int device_;
};

struct shelf {
  std::mutex mutex;
  std::vector<std::unique_ptr<side_stream>> kept;
};

// Never destroyed: at process exit the driver may be gone before.
shelf& all() {
  static auto* const only = new shelf;
  return *only;
}

std::unique_ptr<side_stream> borrowed(int device) {
  shelf& from = all();
  const std::lock_guard lock(from.mutex);
  // One that a graph is captured with belongs to that graph until the capture ends.
  const auto found = std::find_if(from.kept.begin(), from.kept.end(), [&](const auto& each) {
    return each->device() == device && !is_capturing({.stream = each->stream});
  });
  if (found == from.kept.end()) return nullptr;
  auto got = std::move(*found);
  from.kept.erase(found);
  return got;
}

void give_back(std::unique_ptr<side_stream> side) {
  shelf& to = all();
  const std::lock_guard lock(to.mutex);
  to.kept.push_back(std::move(side));
}

class exchange {
 public:
  exchange(const element_block& block, const communicator& ranks, const device_buffer& memory,
           side_stream& side, cudaStream_t stream)
      : block_(block), ranks_(ranks), memory_(static_cast<std::byte*>(memory.data)),
        slot_bytes_(memory.bytes / slots / alignment * alignment), side_(side), stream_(stream) {}

  void run() {
    check(cudaEventRecord(side_.began, stream_), "cudaEventRecord");
    check(cudaStreamWaitEvent(side_.stream, side_.began, 0), "cudaStreamWaitEvent");
    // Shares begin at multiples of 256 bytes, as far as the vector does.
    const std::int64_t quantum = alignment / item();
    const std::int64_t most = std::int64_t(slot_bytes_) / ranks_.ranks / alignment * quantum;
    std::vector<std::int64_t> shares;
    std::int64_t left = block_.n;
    while (left / ranks_.ranks >= quantum) {
      shares.push_back(std::min(most, left / ranks_.ranks / quantum * quantum));
      left -= shares.back() * ranks_.ranks;
    }
    std::int64_t first = 0;
    if (!shares.empty()) receive(0, first, shares[0]);
    for (std::size_t i = 0; i < shares.size(); ++i) {
      const std::int64_t next = first + shares[i] * ranks_.ranks;
      if (i + 1 < shares.size()) receive(i + 1, next, shares[i + 1]);
      send_answers(i, first, shares[i]);
      first = next;
    }
    for (; left > 0; left -= std::min(left, most), first += most)
      reduce_everywhere(first, std::min(left, most));
  }

 private:
  static constexpr std::int64_t alignment = 256;

  std::int64_t item() const { return std::int64_t(size_bytes(block_.type)); }
  std::byte* at(std::int64_t element) const {
    return static_cast<std::byte*>(block_.x) + element * item();
  }
  std::byte* slot(std::size_t block) const { return memory_ + block % slots * slot_bytes_; }
  std::size_t bytes(std::int64_t elements) const { return std::size_t(elements * item()); }

  void receive(std::size_t block, std::int64_t first, std::int64_t share) {
    const std::size_t size = bytes(share);
    const nccl_library& library = nccl();
    std::byte* const shares = slot(block);
    check_nccl(library.group_start(), "ncclGroupStart");
    int code = 0;
    for (int k = 0; k < ranks_.ranks && code == 0; ++k) {
      if (k == ranks_.rank) continue;
      code = library.send(at(first + k * share), size, nccl_bytes, k, ranks_.handle, stream_);
      if (code == 0)
        code = library.receive(shares + std::size_t(k) * size, size, nccl_bytes, k, ranks_.handle,
                               stream_);
    }
    const int end = library.group_end();
    check_nccl(code != 0 ? code : end, "ncclSend and ncclRecv");
    check(cudaEventRecord(side_.received[block % slots], stream_), "cudaEventRecord");
    check(cudaStreamWaitEvent(side_.stream, side_.received[block % slots], 0),
          "cudaStreamWaitEvent");
    reduce(shares, share, at(first + ranks_.rank * share), side_.stream);
    check(cudaEventRecord(side_.reduced[block % slots], side_.stream), "cudaEventRecord");
  }

  void send_answers(std::size_t block, std::int64_t first, std::int64_t share) {
    check(cudaStreamWaitEvent(stream_, side_.reduced[block % slots], 0), "cudaStreamWaitEvent");
    check_nccl(nccl().all_gather(at(first + ranks_.rank * share), at(first), bytes(share),
                                 nccl_bytes, ranks_.handle, stream_),
               "ncclAllGather");
  }

  // What is left is less than a share's alignment a rank: all ranks receive all of it.
  void reduce_everywhere(std::int64_t first, std::int64_t n) {
    check_nccl(nccl().all_gather(at(first), memory_, bytes(n), nccl_bytes, ranks_.handle, stream_),
               "ncclAllGather");
    reduce(memory_, n, at(first), stream_);
  }

  void reduce(std::byte* rows, std::int64_t share, std::byte* own, cudaStream_t stream) {
    const shares_request asked = {block_.type, block_.mean,  own,        rows,
                                  share,       ranks_.ranks, ranks_.rank};
    check(cudaError_t(launch_reduce_shares(asked, stream)), "launching a kernel");
  }

  const element_block& block_;
  const communicator& ranks_;
  std::byte* memory_;
  std::size_t slot_bytes_;
  side_stream& side_;
  cudaStream_t stream_;
};

void check_block(const executor::cuda& on, const element_block& block, const communicator& ranks) {
  const memory_facts found = memory_of(block.x);
  if (found.kind != memory::device)
    throw error({status_code::unsupported, "the elements are in host memory; copy them to the "
                                           "memory of the communicator's device"});
  if (found.device != ranks.device || (on.device >= 0 && on.device != ranks.device))
    throw error({status_code::mismatch,
                 "the elements are in the memory of device " + std::to_string(found.device) +
                     ", and the communicator's device is " + std::to_string(ranks.device)});
}

}  // namespace

status all_reduce_elements(const executor::cuda& on, const element_block& block, ncclComm* comm,
                           const device_buffer& workspace) try {
  if (auto fine = check_device(on); !fine) return fine;
  const communicator ranks(comm);
  if (block.n == 0) return {};
  check_block(on, block, ranks);
  const std::size_t least = slots * least_element_bytes * std::size_t(ranks.ranks);
  if (workspace.data != nullptr && workspace.bytes < least)
    return {status_code::usage, "options::workspace has " + std::to_string(workspace.bytes) +
                                    " bytes, and " + std::to_string(ranks.ranks) + " ranks need " +
                                    std::to_string(least)};
  const device_guard here(ranks.device);
  auto* const stream = static_cast<cudaStream_t>(on.stream);
  auto side = borrowed(ranks.device);
  if (side == nullptr) side = std::make_unique<side_stream>(ranks.device);
  const std::size_t own = std::max(own_workspace_bytes, least);
  workspace_lease in(on, {}, ranks.device, workspace.data != nullptr ? 0 : cleared_bytes + own);
  const device_buffer memory =
      workspace.data != nullptr ? workspace : device_buffer{in.scratch(), own};
  exchange(block, ranks, memory, *side, stream).run();
  in.pass_on();
  give_back(std::move(side));
  return {};
} catch (const error& failed) {
  return failed.why();
} catch (const std::bad_alloc&) {
  return {status_code::out_of_memory, "no memory for the CUDA engine's own lists"};
}

}  // namespace onefold::cuda
