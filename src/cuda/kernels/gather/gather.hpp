// SPDX-License-Identifier: Apache-2.0
// Copies elements that lie anywhere to contiguous memory, whose kernels are many times as fast as
// any that looks for each element.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cuda/primitives/divisor.hpp"

namespace onefold::cuda {

inline constexpr unsigned gather_threads = 256;
/// Loads of a thread that are in flight together.
inline constexpr unsigned gather_loads = 8;

struct gather_axis {
  std::int64_t extent;
  std::int64_t from_bytes;  ///< from one index to the next
};

/// The axes and memory of a copy: element i of the output is the i-th one, the last axis fastest.
class gather_copy {
 public:
  static constexpr int most_axes = 8;

  /// Elements of 1, 2, 4 or 8 bytes; `to` is at a multiple of their size.
  gather_copy(const void* from, void* to, std::int64_t item_bytes)
      : from_(static_cast<const std::byte*>(from)), to_(static_cast<std::byte*>(to)),
        item_bytes_(item_bytes) {}

  /// Adds the next inner axis. False, and nothing is added, where there are too many.
  bool add_axis(const gather_axis& axis);

  std::int64_t items() const;

 private:
  friend struct gather_launch;

  const std::byte* from_;
  std::byte* to_;
  std::int64_t item_bytes_;
  int rank_ = 0;
  gather_axis axis_[most_axes];
};

/// What the kernel takes. Units are elements, or vectors of elements that are neighbours on both
/// sides. A warp takes a piece of the indices of the three inner axes.
struct gather_launch {
  /// Precondition: 1 to 2^31 - 1 elements.
  explicit gather_launch(const gather_copy& copy);

  const std::byte* from;
  std::byte* to;
  unsigned unit_bytes;  ///< 1, 2, 4, 8 or 16
  bool aligned;         ///< every unit is read at a multiple of its size
  int outer = 0;        ///< axes
  gather_axis outer_axis[gather_copy::most_axes];
  unsigned inner;              ///< units of the inner axes
  divisor extent[2];           ///< of the last axis and the one before it
  std::int64_t from_bytes[3];  ///< of the last axis and those before it
  unsigned pieces, tasks;      ///< of the inner axes; and of all
};

/// Enqueues the kernel. Returns a cudaError_t as int; 0 is success.
int launch_gather(const gather_launch& launch, unsigned multiprocessors, void* stream);

}  // namespace onefold::cuda
