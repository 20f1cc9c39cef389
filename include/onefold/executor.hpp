// SPDX-License-Identifier: Apache-2.0
// Where the work runs.
#pragma once

#include <variant>

namespace onefold {

class device_resource;

/// An engine and what it may use. Which one it is changes no exact answer.
class executor {
 public:
  /// The GPU whose memory holds the data; of data in host memory the CPU, or a GPU where sending
  /// them there costs less time than the CPU would need. Where a GPU that was chosen so has no
  /// memory left even for small windows, or fails, the CPU takes over, and options::placed tells.
  struct automatic {
    friend bool operator==(const automatic&, const automatic&) = default;
  };

  /// This process' CPU threads.
  struct cpu {
    /// At most this many; 0: ONEFOLD_THREADS if set, else what affinity and the cgroup allow.
    int threads = 0;
    friend bool operator==(const cpu&, const cpu&) = default;
  };

  /// An NVIDIA GPU, through CUDA. Data may lie in its memory, or in that of the host, which is then
  /// copied piece by piece. The call returns when the answer is there; where data and answers are
  /// contiguous in device memory and no status depends on the data (or options::status_out takes
  /// it), as soon as the work is in the stream, which a CUDA graph may capture.
  struct cuda {
    /// A cudaStream_t: data in device memory are read behind what it holds. Null: the default one.
    void* stream = nullptr;
    /// Its number; -1: the device that holds the data, or the calling thread's.
    int device = -1;
    /// Where all device memory of a call comes from; null: cudaMalloc, and kept for later calls.
    device_resource* memory = nullptr;
    friend bool operator==(const cuda&, const cuda&) = default;
  };

  executor() noexcept = default;
  executor(automatic) noexcept {}                   // NOLINT: implicit by design
  executor(cpu where) noexcept : where_(where) {}   // NOLINT: implicit by design
  executor(cuda where) noexcept : where_(where) {}  // NOLINT: implicit by design

  /// The number of CPU threads asked for, 0 for as many as there are.
  int threads() const noexcept {
    const auto* where = std::get_if<cpu>(&where_);
    return where ? where->threads : 0;
  }

  /// The GPU asked for; null where it is none.
  const cuda* gpu() const noexcept { return std::get_if<cuda>(&where_); }

  /// Whether it leaves the choice of the engine to the library.
  bool chooses() const noexcept { return std::holds_alternative<automatic>(where_); }

  friend bool operator==(const executor&, const executor&) = default;

 private:
  std::variant<automatic, cpu, cuda> where_;
};

}  // namespace onefold
