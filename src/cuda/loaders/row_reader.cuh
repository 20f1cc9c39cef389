// SPDX-License-Identifier: Apache-2.0
#pragma once
// How the lanes of a warp read a row in shared memory: in a rotated order of its units, so that
// rows that begin in the same banks do not conflict.

#include "cuda/loaders/row_tiles.hpp"
#include "cuda/primitives/load.cuh"
#include "cuda/primitives/warp.cuh"

#include <type_traits>

namespace onefold::cuda {

/// T: what the elements are. Vectors: units are 16 bytes, else elements. Neighbouring lanes,
/// shape.lanes of them, read a row: each the units place, place + lanes, ….
template <class T, bool Vectors>
class row_reader {
 public:
  using bits = decltype(bits_at(static_cast<const T*>(nullptr)));
  using unit = std::conditional_t<Vectors, vector_of<T>, bits>;
  static constexpr int unit_bytes = Vectors ? 16 : int(sizeof(T));

  /// items: of a whole row, or of the part of a row that is in shared memory.
  ONEFOLD_DEVICE row_reader(const row_tile_shape& shape, int items)
      : shape_(shape), place_(int(lane_index()) & (shape.lanes - 1)),
        steps_(units(items) >> lane_bits()), rest_(units(items) - steps_ * shape.lanes) {
    const int bank_bits = __popc(unsigned(shape.turn_base - 1));
    const int turn = (row() & (shape.turn_base - 1)) * shape.turn >> bank_bits;
    const int steps = shape.inner ? least_inner_units() >> lane_bits() : steps_;
    turned_ = turn < steps ? turn * shape.lanes * (shape.inner ? 16 : unit_bytes) : 0;
  }

  ONEFOLD_DEVICE static int units(std::int64_t items) {
    return int(items) * int(sizeof(T)) / unit_bytes;
  }
  ONEFOLD_DEVICE int lanes() const { return shape_.lanes; }
  ONEFOLD_DEVICE int place() const { return place_; }
  /// 2 to this power lanes, of a row.
  ONEFOLD_DEVICE int lane_bits() const { return __popc(unsigned(shape_.lanes - 1)); }
  /// Of this lane, among those that the warp reduces at once.
  ONEFOLD_DEVICE int row() const { return int(lane_index()) >> lane_bits(); }
  /// Units of a lane, at most.
  ONEFOLD_DEVICE int most() const { return steps_ + (rest_ > 0); }
  /// The bits that the first lane of the row reads first.
  ONEFOLD_DEVICE bits first_bits(const std::byte* row) const {
    const bits first = *reinterpret_cast<const bits*>(row + turned_);
    if (shape_.lanes == 1) return first;
    return bits(__shfl_sync(whole_warp, first, int(lane_index()) - place_));
  }

  /// Adds this lane's part of a row to its Lane, as row_tiles::take describes it.
  template <class Lane>
  ONEFOLD_DEVICE void add_row(const std::byte* row, Lane& lane) const {
    add_units(row, steps_, rest_, 0, lane);
  }
  /// The same of `steps` units of each lane and one of the `rest`. The row's element `item` is its
  /// first one here.
  template <class Lane>
  ONEFOLD_DEVICE void add_units(const std::byte* row, int steps, int rest, std::uint32_t item,
                                Lane& lane) const {
    if constexpr (!Vectors && requires(vector_of<T> x) { lane.add_unit(x, item); })
      if (shape_.inner) return add_inner(row, steps * shape_.lanes + rest, item, lane);
    const int step = shape_.lanes * unit_bytes;
    const std::byte *const begin = row + place_ * unit_bytes, *const end = begin + steps * step;
    if (rest > place_) add(lane, load(end), item + items_to(row, end));
    const std::byte* at = begin + turned_;
    if (shape_.turn_base > 1)
      add_in_order(steps, row, item, lane, [&] {
        const std::byte* const now = at;
        at += step;
        if (at == end) at = begin;
        return now;
      });
    else
      add_in_order(steps, row, item, lane, [&] {
        const std::byte* const now = at;
        at += step;
        return now;
      });
  }

  /// Vectors `first`, … of this lane; what is beyond the row is `nothing`.
  template <int Units>
  ONEFOLD_DEVICE void load_batch(const std::byte* row, int first, const unit& nothing,
                                 unit (&held)[Units]) const {
    const std::byte* const begin = row + place_ * unit_bytes;
    const int step = shape_.lanes * unit_bytes;
    if (rest_ == 0 && (steps_ == 8 || steps_ == Units)) {  // none is turned beyond the row by xor
      ONEFOLD_UNROLL
      for (int j = 0; j < Units; ++j) held[j] = load(begin + ((first + j) * step ^ turned_));
    } else {
      ONEFOLD_UNROLL
      for (int j = 0; j < Units; ++j)
        held[j] =
            first + j < steps_ + (place_ < rest_) ? load(begin + (first + j) * step) : nothing;
    }
  }
  /// use(Units vectors) of all of this lane; of more at once, all else would spill.
  template <int Units, class Use>
  ONEFOLD_DEVICE void for_each_batch(const std::byte* row, const unit& nothing,
                                     const Use& use) const {
    ONEFOLD_ROLLED
    for (int i = 0; i < most(); i += Units) {
      __syncwarp();  // or the compiler holds all of them
      unit held[Units];
      load_batch(row, i, nothing, held);
      use(held);
    }
  }

  /// Adds one unit.
  template <class Lane>
  ONEFOLD_DEVICE static void add(Lane& lane, const unit& x, [[maybe_unused]] std::uint32_t item) {
    if constexpr (requires { lane.add_unit(x, item); })
      lane.add_unit(x, item);
    else if constexpr (Vectors && requires { lane.add_vector(x); })
      lane.add_vector(x);
    else if constexpr (Vectors)
      for_each_item<T>(x, x, [&](auto own, auto) { lane.add(own); });
    else
      lane.add(x);
  }
  ONEFOLD_DEVICE static unit load(const std::byte* at) {
    if constexpr (Vectors)
      return load_copied<T>(reinterpret_cast<const std::int64_t*>(at));
    else
      return *reinterpret_cast<const bits*>(at);
  }

 private:
  static constexpr int unrolled = Vectors ? 2 : 4;

  // The elements before the first whole vector and after the last one, and the vectors.
  template <class Lane>
  ONEFOLD_DEVICE void add_inner(const std::byte* row, int items, std::uint32_t item,
                                Lane& lane) const {
    const auto place = [](const std::byte* at) {
      return int(reinterpret_cast<std::uintptr_t>(at) % 16);
    };
    const std::byte* const end = row + items * int(sizeof(T));
    const std::byte* const first = row + (-place(row) & 15);
    const bool within = first > end;  // all of the row is in one vector
    const std::byte* const last = within ? first : end - place(end);
    const int head = within ? items : int(items_to(row, first));
    const int edges = within ? items : head + int(items_to(last, end));
    ONEFOLD_ROLLED
    for (int i = place_; i < edges; i += shape_.lanes) {
      const std::byte* const at = (i < head ? row : last - head * int(sizeof(T))) + i * sizeof(T);
      add(lane, load(at), item + items_to(row, at));
    }
    const int step = shape_.lanes * 16;
    const std::byte *const begin = first + place_ * 16, *at = begin + turned_;
    const auto next = [&](vector_of<T>& x) {
      const std::byte* const now = at;
      at += step;
      if (at >= last) at = begin;
      x = load_copied<T>(reinterpret_cast<const std::int64_t*>(now));
      return item + items_to(row, now);
    };
    const std::byte* up_to = begin;
    ONEFOLD_ROLLED
    for (; up_to + step < last; up_to += 2 * step) {
      vector_of<T> x, y;
      const std::uint32_t x_item = next(x), y_item = next(y);
      lane.add_unit(x, x_item), lane.add_unit(y, y_item);
    }
    if (up_to < last) {
      vector_of<T> x;
      const std::uint32_t x_item = next(x);
      lane.add_unit(x, x_item);
    }
  }
  ONEFOLD_DEVICE int least_inner_units() const {
    return (shape_.piece * int(sizeof(T)) - 16 + int(sizeof(T))) / 16;
  }
  template <class Lane, class Next>
  ONEFOLD_DEVICE static void add_in_order(int left, const std::byte* row, std::uint32_t item,
                                          Lane& lane, const Next& next_unit) {
    ONEFOLD_ROLLED
    for (; left >= unrolled; left -= unrolled) {
      unit held[unrolled];
      std::uint32_t first[unrolled];
      ONEFOLD_UNROLL
      for (int i = 0; i < unrolled; ++i) {
        const std::byte* const at = next_unit();
        held[i] = load(at), first[i] = item + items_to(row, at);
      }
      ONEFOLD_UNROLL
      for (int i = 0; i < unrolled; ++i) add(lane, held[i], first[i]);
    }
    ONEFOLD_ROLLED
    for (; left > 0; --left) {
      const std::byte* const at = next_unit();
      add(lane, load(at), item + items_to(row, at));
    }
  }
  ONEFOLD_DEVICE static std::uint32_t items_to(const std::byte* row, const std::byte* at) {
    return std::uint32_t(at - row) / std::uint32_t(sizeof(T));
  }

  const row_tile_shape& shape_;
  int place_;         // of this lane in its row
  int steps_, rest_;  // units of each lane, and those that are left
  int turned_;        // bytes from the row's begin to the unit that it reads first
};

}  // namespace onefold::cuda
