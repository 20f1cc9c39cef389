// SPDX-License-Identifier: Apache-2.0
// Gathering, conversion, masking and removal of NaNs for one chunk.
#include "cpu/drivers/chunk_reader.hpp"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "cpu/drivers/convert.hpp"
#include "cpu/drivers/pack.hpp"
#include "onefold/detail/float_format.hpp"
#include "request/request.hpp"

namespace onefold::cpu {
namespace {

// Clears the mask of every NaN; returns how many NaNs the mask had included.
std::int64_t unmask_nans(dtype type, const std::byte* elements, std::int64_t n, std::byte* mask) {
  std::int64_t nans = 0;
  with_type(type, [&]<class T>(detail::tag<T>) {
    if constexpr (!std::is_integral_v<T>)
      for (std::int64_t i = 0; i < n; ++i) {
        T x;
        std::memcpy(&x, elements + std::size_t(i) * sizeof x, sizeof x);
        if (!detail::is_nan<T>(detail::to_bits(x))) continue;
        nans += mask[i] != std::byte(0);
        mask[i] = std::byte(0);
      }
  });
  return nans;
}

// Compacts without a branch: every element is written to where the next included one belongs.
template <std::size_t ItemBytes>
std::int64_t close_ranks(std::byte* elements, const std::byte* mask, std::int64_t n) {
  std::int64_t kept = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    std::memmove(elements + std::size_t(kept) * ItemBytes, elements + std::size_t(i) * ItemBytes,
                 ItemBytes);
    kept += mask[i] != std::byte(0);
  }
  return kept;
}

std::int64_t close_ranks(std::size_t item_bytes, std::byte* elements, const std::byte* mask,
                         std::int64_t n) {
  switch (item_bytes) {
  case 1:
    return close_ranks<1>(elements, mask, n);
  case 2:
    return close_ranks<2>(elements, mask, n);
  case 4:
    return close_ranks<4>(elements, mask, n);
  default:
    return close_ranks<8>(elements, mask, n);
  }
}

}  // namespace

chunk_reader::chunk_reader(const reduction& reduction)
    : reduction_(reduction), item_bytes_(size_bytes(reduction.plan.input)) {
  if (reduction.plan.reading != path::packed) return;
  const auto items = std::size_t(std::min(reduction.plan.items, reduction.plan.chunk_items));
  x_.resize(items * item_bytes_);
  if (reduction.y) y_.resize(items * item_bytes_);
  if (reduction.mask || drops_nans(reduction.plan)) mask_.resize(items);
  if (reduction.map || reduction.converts()) raw_.resize(items * sizeof(double));
}

piece chunk_reader::read(const loop_origin& at, std::int64_t first, std::int64_t n) {
  const std::int64_t index = reduction_.options.first_index + first;
  if (reduction_.plan.reading == path::in_place) {
    const std::size_t offset = std::size_t(first) * item_bytes_;
    return {reduction_.x + at.x_bytes + offset,
            reduction_.y ? reduction_.y + at.y_bytes + offset : nullptr, n, index};
  }
  gather(reduction_.x + at.x_bytes, reduction_.x_type, &loop_axis::x_bytes, first, n, x_);
  if (reduction_.y)
    gather(reduction_.y + at.y_bytes, reduction_.y_type, &loop_axis::y_bytes, first, n, y_);
  const std::int64_t kept = mask_.empty() ? n : drop(at, first, n);
  return {x_.data(), reduction_.y ? y_.data() : nullptr, kept, index};
}

const void* chunk_reader::gather(const std::byte* from, dtype type,
                                 std::int64_t loop_axis::*stride_bytes, std::int64_t first,
                                 std::int64_t n, std::vector<std::byte>& storage) {
  const dtype wanted = reduction_.plan.input;
  const bool direct = type == wanted && !reduction_.map;
  pack(from, reduction_.plan.reduced, stride_bytes, size_bytes(type), first, n,
       direct ? storage.data() : raw_.data());
  if (reduction_.map)
    (*reduction_.map)(raw_.data(), n, storage.data());
  else if (!direct)
    convert(type, raw_.data(), n, wanted, storage.data());
  return storage.data();
}

std::int64_t chunk_reader::drop(const loop_origin& at, std::int64_t first, std::int64_t n) {
  if (reduction_.mask)
    pack(reduction_.mask + at.mask_bytes, reduction_.plan.reduced, &loop_axis::mask_bytes, 1, first,
         n, mask_.data());
  else
    std::fill(mask_.begin(), mask_.end(), std::byte(1));
  if (drops_nans(reduction_.plan)) {
    dropped_nans_ += unmask_nans(reduction_.plan.input, x_.data(), n, mask_.data());
    if (reduction_.y)
      dropped_nans_ += unmask_nans(reduction_.plan.input, y_.data(), n, mask_.data());
  }
  if (reduction_.y) close_ranks(item_bytes_, y_.data(), mask_.data(), n);
  return close_ranks(item_bytes_, x_.data(), mask_.data(), n);
}

}  // namespace onefold::cpu
