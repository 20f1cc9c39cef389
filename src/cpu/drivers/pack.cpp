// SPDX-License-Identifier: Apache-2.0
// Gathers strided elements into contiguous buffers.
#include "cpu/drivers/pack.hpp"

#include <algorithm>
#include <cstring>

#include "cpu/drivers/transpose.hpp"

namespace onefold::cpu {
namespace {

template <std::size_t ItemBytes>
void copy_run(const std::byte* from, std::int64_t stride_bytes, std::int64_t n, std::byte* to) {
  if (stride_bytes == std::int64_t(ItemBytes)) {
    std::memcpy(to, from, std::size_t(n) * ItemBytes);
    return;
  }
  for (std::int64_t i = 0; i < n; ++i)
    std::memcpy(to + std::size_t(i) * ItemBytes, from + i * stride_bytes, ItemBytes);
}

using run_copier = void (*)(const std::byte*, std::int64_t, std::int64_t, std::byte*);

run_copier copier_for(std::size_t item_bytes) {
  switch (item_bytes) {
  case 1:
    return copy_run<1>;
  case 2:
    return copy_run<2>;
  case 4:
    return copy_run<4>;
  default:
    return copy_run<8>;
  }
}

using stride_member = std::int64_t loop_axis::*;

// The byte offset of element `index` of the loop nest.
std::int64_t offset_of(const loop_nest& axes, stride_member stride_bytes, std::int64_t index) {
  std::int64_t offset = 0;
  for (int i = axes.size() - 1; i >= 0; --i) {
    offset += index % axes[i].extent * (axes[i].*stride_bytes);
    index /= axes[i].extent;
  }
  return offset;
}

// Calls run(offset, stride, n) for each run of the last axis within the range.
template <class Run>
void for_each_run(const loop_nest& axes, stride_member stride_bytes, std::int64_t first,
                  std::int64_t n, Run&& run) {
  const bool scalar = axes.empty();
  const std::int64_t extent = scalar ? 1 : axes[axes.size() - 1].extent;
  const std::int64_t stride = scalar ? 0 : axes[axes.size() - 1].*stride_bytes;
  while (n > 0) {
    const std::int64_t length = std::min(n, extent - first % extent);
    run(offset_of(axes, stride_bytes, first), stride, length);
    first += length;
    n -= length;
  }
}

}  // namespace

void pack(const std::byte* origin, const loop_nest& axes, stride_member stride_bytes,
          std::size_t item_bytes, std::int64_t first, std::int64_t n, std::byte* to) {
  const auto copy = copier_for(item_bytes);
  for_each_run(axes, stride_bytes, first, n,
               [&](std::int64_t offset, std::int64_t stride, std::int64_t length) {
                 copy(origin + offset, stride, length, to);
                 to += std::size_t(length) * item_bytes;
               });
}

void pack_rows(const std::byte* origin, std::int64_t step_bytes, std::int64_t outputs,
               const loop_nest& axes, stride_member stride_bytes, std::size_t item_bytes,
               std::int64_t first, std::int64_t n, std::byte* to, std::int64_t row_bytes) {
  const auto item = std::int64_t(item_bytes);
  for_each_run(axes, stride_bytes, first, n,
               [&](std::int64_t offset, std::int64_t stride, std::int64_t length) {
                 copy_matrix({origin + offset, to, length, outputs, stride, step_bytes, item,
                              row_bytes, item});
                 to += length * item;
               });
}

}  // namespace onefold::cpu
