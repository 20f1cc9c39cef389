// SPDX-License-Identifier: Apache-2.0
#pragma once
// The elements of a chunk of a general strided layout, as a warp reads them where order matters.
//
// Element i of a chunk belongs to virtual lane i mod 64: a lane has those of virtual lanes `lane`
// and `lane + 32`. Elements that are masked or left out are dropped and the others compacted, in a
// ring in shared memory.

#include "cuda/nested/nest.cuh"
#include "cuda/parts/lanes.cuh"
#include "cuda/parts/warp.cuh"

namespace onefold::cuda {

/// An element as a number that holds it, or a 64-bit integer rounded.
template <class Number>
ONEFOLD_DEVICE Number number_as(std::uint64_t raw, const element_kind& kind) {
  switch (kind.type) {
  case dtype::f16:
    return Number(float_of_half(std::uint16_t(raw)));
  case dtype::bf16:
    return Number(__builtin_bit_cast(float, std::uint32_t(raw) << 16));
  case dtype::f32:
    return Number(__builtin_bit_cast(float, std::uint32_t(raw)));
  case dtype::f64:
    return Number(__builtin_bit_cast(double, raw));
  case dtype::u64:
    return Number(raw);
  default:
    return Number(integer_of(raw, kind));
  }
}

/// A term, or of other accumulators the element.
template <class Number>
struct nest_item {
  Number value = 0;
  bool there = false, nan = false;
};

template <class Number>
ONEFOLD_DEVICE nest_item<Number> load_item(const nested_request& of, const nest_piece& piece,
                                           std::int64_t r) {
  nest_item<Number> made;
  if (r >= piece.last) return made;
  nest_place at = piece.base;
  step_into(of.axes, of.axes.kept, of.axes.all, r, at);
  if (of.mask != nullptr && of.mask[at.mask] == std::byte(0)) return made;
  const bool pairs = of.of == accumulator::products;
  const auto x = number_as<Number>(raw_bits(of.x + at.x, of.x_kind.bytes, of.aligned), of.x_kind);
  Number y = x;
  if (pairs) y = number_as<Number>(raw_bits(of.y + at.y, of.y_kind.bytes, of.aligned), of.y_kind);
  return {term_of(of.of, x, y), true, x != x || y != y};
}

/// Contiguous elements, each of which is its own term.
ONEFOLD_DEVICE bool lies_in_line(const nested_request& of) {
  const bool terms = of.of == accumulator::magnitudes || of.of == accumulator::squares;
  return of.axes.all == of.axes.kept + 1 && of.aligned && of.x_kind.floating && !terms &&
         of.of != accumulator::products && of.axes.axis[of.axes.kept].x_bytes == of.x_kind.bytes;
}

inline constexpr int held_items = 8;  // of a lane at once: four rows
inline constexpr int batch_items = held_items * int(warp_lanes);
inline constexpr int ring_items = 2 * batch_items;

/// A warp's way through a chunk. Every lane of the warp calls every member.
template <class Number>
class chunk_rows {
 public:
  ONEFOLD_DEVICE chunk_rows(const nested_request& of, const nest_piece& piece, Number* ring)
      : of_(of), piece_(piece), ring_(ring), at_(piece.first),
        all_(of.mask == nullptr && !of.drops_nans), in_line_(lies_in_line(of)) {}

  /// The next elements: of this lane, number i * 32 + lane of them, if there are more than that.
  /// Returns how many there are: fewer than batch_items at the end alone.
  ONEFOLD_DEVICE int next(Number (&to)[held_items]) {
    return all_ ? next_of_all(to) : next_of_kept(to);
  }
  ONEFOLD_DEVICE std::int64_t dropped() const { return dropped_; }

 private:
  ONEFOLD_DEVICE void load_in_line(Number (&to)[held_items]) const {
    switch (of_.x_kind.type) {
    case dtype::f16:
      return load_as<f16>(to);
    case dtype::bf16:
      return load_as<bf16>(to);
    case dtype::f32:
      return load_as<float>(to);
    default:
      return load_as<double>(to);
    }
  }
  template <class T>
  ONEFOLD_DEVICE void load_as(Number (&to)[held_items]) const {
    const auto* const x = reinterpret_cast<const T*>(of_.x + piece_.base.x) + at_ + lane_index();
    const std::int64_t left = piece_.last - at_ - lane_index();
    typename detail::float_format<T>::bits bits[held_items] = {};
    ONEFOLD_UNROLL
    for (int i = 0; i < held_items; ++i)
      if (i * std::int64_t(warp_lanes) < left) bits[i] = bits_at(x + i * int(warp_lanes));
    ONEFOLD_UNROLL
    for (int i = 0; i < held_items; ++i) to[i] = Number(double_of<T>(bits[i]));
  }
  ONEFOLD_DEVICE int next_of_all(Number (&to)[held_items]) {
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
  ONEFOLD_DEVICE int next_of_kept(Number (&to)[held_items]) {
    ONEFOLD_ROLLED
    while (tail_ - head_ < batch_items && at_ < piece_.last) {
      nest_item<Number> some[held_items];
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
      const int mine = i * int(warp_lanes) + int(lane_index());
      to[i] = mine < count ? ring_[(head_ + mine) % ring_items] : Number(0);
    }
    __syncwarp();
    head_ += count;
    return count;
  }
  ONEFOLD_DEVICE nest_item<Number> load(int i) const {
    return load_item<Number>(of_, piece_, at_ + i * std::int64_t(warp_lanes) + lane_index());
  }
  ONEFOLD_DEVICE void keep(const nest_item<Number>& some) {
    const bool dropped = some.there && some.nan && of_.drops_nans;
    const bool kept = some.there && !dropped;
    const unsigned votes = __ballot_sync(whole_warp, kept);
    if (kept) ring_[(tail_ + __popc(votes & ((1u << lane_index()) - 1))) % ring_items] = some.value;
    tail_ += __popc(votes);
    dropped_ += __popc(__ballot_sync(whole_warp, dropped));
  }

  const nested_request& of_;
  const nest_piece& piece_;
  Number* ring_;
  std::int64_t at_, dropped_ = 0;
  int head_ = 0, tail_ = 0;  // elements that left the ring, and that came in
  bool all_, in_line_;
};

/// A chunk's batches through take(numbers, count), the last one not whole; returns how many
/// elements there are.
template <class Number, class Take>
ONEFOLD_DEVICE std::int64_t take_rows(chunk_rows<Number>& rows, const Take& take) {
  std::int64_t all = 0;
  int count;
  ONEFOLD_ROLLED
  do {
    Number some[held_items];
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

template <class Number>
ONEFOLD_DEVICE Number from_lane_0(Number x) {
  return __shfl_sync(whole_warp, x, 0);
}

}  // namespace onefold::cuda
