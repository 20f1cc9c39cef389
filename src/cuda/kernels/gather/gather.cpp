// SPDX-License-Identifier: Apache-2.0
#include "cuda/kernels/gather/gather.hpp"

#include <algorithm>

namespace onefold::cuda {
namespace {

// The size of the largest units that all those numbers of bytes are multiples of.
std::int64_t unit_of(std::uint64_t bits, std::int64_t item_bytes) {
  return std::max(item_bytes, std::int64_t((bits | 16) & -(bits | 16)));
}

}  // namespace

bool gather_copy::add_axis(const gather_axis& axis) {
  if (axis.extent == 1) return true;
  if (rank_ > 0) {
    gather_axis& last = axis_[rank_ - 1];
    if (last.from_bytes == axis.extent * axis.from_bytes) {
      last = {last.extent * axis.extent, axis.from_bytes};
      return true;
    }
  }
  if (rank_ == most_axes) return false;
  axis_[rank_++] = axis;
  return true;
}

std::int64_t gather_copy::items() const {
  std::int64_t items = 1;
  for (int i = 0; i < rank_; ++i) items *= axis_[i].extent;
  return items;
}

gather_launch::gather_launch(const gather_copy& copy)
    : from(copy.from_), to(copy.to_), unit_bytes(unsigned(copy.item_bytes_)) {
  int rank = copy.rank_;
  std::copy_n(copy.axis_, rank, outer_axis);
  auto places = reinterpret_cast<std::uintptr_t>(from);
  for (int i = 0; i + 1 < rank; ++i) places |= std::uintptr_t(outer_axis[i].from_bytes);
  if (rank > 0 && outer_axis[rank - 1].from_bytes == copy.item_bytes_) {
    gather_axis& last = outer_axis[rank - 1];
    const std::int64_t bytes = last.extent * copy.item_bytes_;
    const std::int64_t unit = unit_of(
        places | reinterpret_cast<std::uintptr_t>(to) | std::uintptr_t(bytes), copy.item_bytes_);
    last = {bytes / unit, unit};
    unit_bytes = unsigned(unit);
  }
  if (rank > 0) places |= std::uintptr_t(outer_axis[rank - 1].from_bytes);
  aligned = places % unit_bytes == 0;

  gather_axis last[3] = {{1, 0}, {1, 0}, {1, 0}};
  for (gather_axis& each : last)
    if (rank > 0) each = outer_axis[--rank];
  outer = rank;
  inner = unsigned(last[0].extent * last[1].extent * last[2].extent);
  for (int i = 0; i < 2; ++i) extent[i] = divisor(std::uint32_t(last[i].extent));
  for (int i = 0; i < 3; ++i) from_bytes[i] = last[i].from_bytes;
  constexpr unsigned piece = 32 * gather_loads;
  pieces = (inner - 1) / piece + 1, tasks = pieces;
  for (int i = 0; i < outer; ++i) tasks *= unsigned(outer_axis[i].extent);
}

}  // namespace onefold::cuda
