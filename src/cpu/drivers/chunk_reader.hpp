// SPDX-License-Identifier: Apache-2.0
// Reads the elements of an answer chunk by chunk: in place where the layout allows it, otherwise
// gathered into buffers that stay in cache. Elements that a mask or a NaN policy excludes are
// removed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cpu/tasks/task.hpp"
#include "request/reduction.hpp"

namespace onefold::cpu {

class chunk_reader {
 public:
  /// Throws std::bad_alloc.
  explicit chunk_reader(const reduction& reduction);

  /// Elements first … first + n - 1 of the answer whose loops begin at these offsets. Valid until
  /// the next call. Precondition: n <= chunk_items.
  piece read(const loop_origin& at, std::int64_t first, std::int64_t n);

  /// The NaNs (pairs with a NaN) that were removed so far.
  std::int64_t dropped_nans() const { return dropped_nans_; }

 private:
  const void* gather(const std::byte* from, dtype type, std::int64_t loop_axis::*stride_bytes,
                     std::int64_t first, std::int64_t n, std::vector<std::byte>& storage);
  std::int64_t drop(const loop_origin& at, std::int64_t first, std::int64_t n);

  const reduction& reduction_;
  std::size_t item_bytes_;
  std::int64_t dropped_nans_ = 0;
  std::vector<std::byte> x_, y_, mask_, raw_;
};

}  // namespace onefold::cpu
