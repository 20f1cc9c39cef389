// SPDX-License-Identifier: Apache-2.0
#pragma once
// The elements of a chunk of a general strided layout, as a warp reads them where order matters.
//
// Element i of a chunk belongs to virtual lane i mod 64: a lane has those of virtual lanes `lane`
// and `lane + 32`. Masked elements are dropped and the others compacted, in a ring in shared
// memory.

#include "cuda/kernels/strided/nest.cuh"
#include "cuda/primitives/lanes.cuh"
#include "cuda/primitives/raw.cuh"
#include "cuda/primitives/warp.cuh"

namespace onefold::cuda {

/// An element as a number that holds it, or a 64-bit integer rounded.
ONEFOLD_DEVICE double number_as(std::uint64_t raw, const element_kind& kind) {
  switch (kind.type) {
  case dtype::f16:
    return double(float_of_half(std::uint16_t(raw)));
  case dtype::bf16:
    return double(__builtin_bit_cast(float, std::uint32_t(raw) << 16));
  case dtype::f32:
    return double(__builtin_bit_cast(float, std::uint32_t(raw)));
  case dtype::f64:
    return __builtin_bit_cast(double, raw);
  case dtype::u64:
    return double(raw);
  default:
    return double(integer_of(raw, kind));
  }
}

struct nest_item {
  double value = 0;
  bool there = false;
};

ONEFOLD_DEVICE nest_item load_item(const strided_request& request, const nest_piece& piece,
                                   std::int64_t r) {
  if (r >= piece.last) return {};
  nest_place at = piece.base;
  step_into(request.axes, request.axes.kept, request.axes.all, r, at);
  if (request.mask != nullptr && request.mask[at.mask] == std::byte(0)) return {};
  return {
      number_as(raw_bits(request.x + at.x, request.x_kind.bytes, request.aligned), request.x_kind),
      true};
}

/// Contiguous elements.
ONEFOLD_DEVICE bool lies_in_line(const strided_request& request) {
  return request.axes.all == request.axes.kept + 1 && request.aligned && request.x_kind.floating &&
         request.axes.axis[request.axes.kept].x_bytes == request.x_kind.bytes;
}

inline constexpr int held_items = 8;  // of a lane at once: four rows
inline constexpr int batch_items = held_items * int(warp_lanes);
inline constexpr int ring_items = 2 * batch_items;

/// A warp's way through a chunk. Every lane of the warp calls every member.
class chunk_rows {
 public:
  ONEFOLD_DEVICE chunk_rows(const strided_request& request, const nest_piece& piece, double* ring)
      : of_(request), piece_(piece), ring_(ring), at_(piece.first), all_(request.mask == nullptr),
        in_line_(lies_in_line(request)) {}

  /// The next elements: of this lane, number i * 32 + lane of them, if there are more than that.
  /// Returns how many there are: fewer than batch_items at the end alone.
  ONEFOLD_DEVICE int next(double (&to)[held_items]) {
    return all_ ? next_of_all(to) : next_of_kept(to);
  }

 private:
  ONEFOLD_DEVICE void load_in_line(double (&to)[held_items]) const {
    with_float(of_.x_kind.type, [&]<class T>(T) { load_as<T>(to); });
  }
  template <class T>
  ONEFOLD_DEVICE void load_as(double (&to)[held_items]) const {
    const auto* const x = reinterpret_cast<const T*>(of_.x + piece_.base.x) + at_ + lane_index();
    const std::int64_t left = piece_.last - at_ - lane_index();
    typename detail::float_format<T>::bits bits[held_items] = {};
    ONEFOLD_UNROLL
    for (int i = 0; i < held_items; ++i)
      if (i * std::int64_t(warp_lanes) < left) bits[i] = bits_at(x + i * int(warp_lanes));
    ONEFOLD_UNROLL
    for (int i = 0; i < held_items; ++i) to[i] = double_of<T>(bits[i]);
  }
  ONEFOLD_DEVICE int next_of_all(double (&to)[held_items]) {
    if (in_line_) {
      load_in_line(to);
    } else {
      ONEFOLD_UNROLL
      for (int i = 0; i < held_items; ++i) to[i] = load(i).value;
    }
    const auto count = int(min(std::int64_t(batch_items), piece_.last - at_));
    at_ += count;
    return count;
  }
  ONEFOLD_DEVICE int next_of_kept(double (&to)[held_items]) {
    ONEFOLD_ROLLED
    while (tail_ - head_ < batch_items && at_ < piece_.last) {
      nest_item some[held_items];
      ONEFOLD_UNROLL
      for (int i = 0; i < held_items; ++i) some[i] = load(i);
      ONEFOLD_UNROLL
      for (int i = 0; i < held_items; ++i) keep(some[i]);
      at_ += batch_items;
    }
    __syncwarp();
    const int count = min(batch_items, tail_ - head_);
    ONEFOLD_UNROLL
    for (int i = 0; i < held_items; ++i) {
      const int index = i * int(warp_lanes) + int(lane_index());
      to[i] = index < count ? ring_[(head_ + index) % ring_items] : 0;
    }
    __syncwarp();
    head_ += count;
    return count;
  }
  ONEFOLD_DEVICE nest_item load(int i) const {
    return load_item(of_, piece_, at_ + i * std::int64_t(warp_lanes) + lane_index());
  }
  ONEFOLD_DEVICE void keep(const nest_item& some) {
    const unsigned votes = __ballot_sync(whole_warp, some.there);
    if (some.there)
      ring_[(tail_ + __popc(votes & ((1u << lane_index()) - 1))) % ring_items] = some.value;
    tail_ += __popc(votes);
  }

  const strided_request& of_;
  const nest_piece& piece_;
  double* ring_;
  std::int64_t at_;
  int head_ = 0, tail_ = 0;  // elements that left the ring, and that came in
  bool all_, in_line_;
};

/// A chunk's batches through take(numbers, count), the last one not whole; returns how many
/// elements there are.
template <class Take>
ONEFOLD_DEVICE std::int64_t take_rows(chunk_rows& rows, const Take& take) {
  std::int64_t all = 0;
  int count;
  ONEFOLD_ROLLED
  do {
    double some[held_items];
    count = rows.next(some);
    take(some, count);
    all += count;
  } while (count == batch_items);
  return all;
}

/// Whether this lane has element i of a batch of that many.
ONEFOLD_DEVICE bool is_held(int i, int count) {
  return i * int(warp_lanes) + int(lane_index()) < count;
}

}  // namespace onefold::cuda
