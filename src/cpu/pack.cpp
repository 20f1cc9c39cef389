// SPDX-License-Identifier: Apache-2.0
#include "cpu/pack.hpp"

#include <algorithm>
#include <cstring>

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

// Where element `index` of the canonical order lies.
std::int64_t offset_of(const axis_list& axes, std::int64_t index) {
  std::int64_t offset = 0;
  for (int i = axes.size() - 1; i >= 0; --i) {
    offset += index % axes[i].extent * axes[i].stride_bytes;
    index /= axes[i].extent;
  }
  return offset;
}

}  // namespace

void pack(const std::byte* origin, const axis_list& axes, std::size_t item_bytes,
          std::int64_t first, std::int64_t n, std::byte* to) {
  const auto copy = copier_for(item_bytes);
  const axis_layout inner = axes.empty() ? axis_layout{1, 0} : axes[axes.size() - 1];
  while (n > 0) {
    const std::int64_t run = std::min(n, inner.extent - first % inner.extent);
    copy(origin + offset_of(axes, first), inner.stride_bytes, run, to);
    to += std::size_t(run) * item_bytes;
    first += run;
    n -= run;
  }
}

}  // namespace onefold::cpu
