// SPDX-License-Identifier: Apache-2.0
// The executor: the engine (CPU, GPU or GPUs) that runs a request, with its resources.
#pragma once

#include <variant>
#include <vector>

#include "onefold/detail/config.hpp"

namespace onefold {

class device_resource;

/// An engine and the resources it may use. The choice of the engine changes no exact answer.
class executor {
 public:
  /// The GPU whose memory holds the data. For data in host memory it is the CPU, or a GPU if the
  /// transfer costs less time than the reduction on the CPU. If a GPU chosen this way fails, or has
  /// no memory left even for small windows, the CPU takes over and options::placed is called.
  struct automatic {
    friend bool operator==(const automatic&, const automatic&) = default;
  };

  /// This process' CPU threads.
  struct cpu {
    /// At most this many; 0: ONEFOLD_THREADS if set, else the limit of affinity and cgroup.
    int threads = 0;
    friend bool operator==(const cpu&, const cpu&) = default;
  };

  /// An NVIDIA GPU, through CUDA. Data may be in its memory, or in host memory, which the engine
  /// copies piece by piece. The call returns when the answer is written. It returns as soon as the
  /// work is enqueued (and a CUDA graph may capture the stream) if data and answers are contiguous
  /// in device memory and no status depends on the data, or options::status_out receives it.
  struct cuda {
    /// A cudaStream_t: data in device memory are read after its earlier work. Null: the default.
    void* stream = nullptr;
    /// The device number; -1: the device that holds the data, or the calling thread's.
    int device = -1;
    /// The allocator of all device memory of a call; null: cudaMalloc, kept for later calls. While
    /// the stream is captured, the workspace is memory of the graph instead.
    device_resource* memory = nullptr;
    friend bool operator==(const cuda&, const cuda&) = default;
  };

  /// Several NVIDIA GPUs of this process. Data in host memory are cut along the axis of the longest
  /// stride into a range for each, by a thread of its own. If that axis is reduced, or has fewer
  /// indices than there are devices, elements of an answer are cut, for operators whose parts merge
  /// in any order (not prod). Other requests are the first device's, and data in
  /// device memory are reduced by the device that holds them.
  struct devices {
    std::vector<int> numbers{};  ///< each once; empty: all
    friend bool operator==(const devices&, const devices&) = default;
  };

  executor() noexcept = default;
  executor(automatic) noexcept {}                   // NOLINT: implicit by design
  executor(cpu where) noexcept : where_(where) {}   // NOLINT: implicit by design
  executor(cuda where) noexcept : where_(where) {}  // NOLINT: implicit by design
  executor(devices where)                           // NOLINT: implicit by design
      : where_(group{where, {nullptr, where.numbers.empty() ? 0 : where.numbers.front()}}) {}

  /// The requested number of CPU threads, 0 for as many as allowed.
  int threads() const noexcept {
    const auto* where = std::get_if<cpu>(&where_);
    return where ? where->threads : 0;
  }

  /// The requested GPU, of several the first; null if none was requested.
  const cuda* gpu() const noexcept {
    const auto* several = std::get_if<group>(&where_);
    return several ? &several->first : std::get_if<cuda>(&where_);
  }

  /// The requested GPUs; null unless there may be several.
  const devices* gpus() const noexcept {
    const auto* several = std::get_if<group>(&where_);
    return several ? &several->all : nullptr;
  }

  /// Whether the library chooses the engine.
  bool chooses() const noexcept { return std::holds_alternative<automatic>(where_); }

  friend bool operator==(const executor&, const executor&) = default;

 private:
  struct group {
    devices all;
    cuda first;
    friend bool operator==(const group&, const group&) = default;
  };

  std::variant<automatic, cpu, cuda, group> where_;
};

}  // namespace onefold
