// SPDX-License-Identifier: Apache-2.0
#pragma once
// Rows by way of shared memory: a warp copies tiles of neighbouring rows, while it reduces the tile
// before. A few lanes, or one, reduce a row; they read its units in a rotated order, so that rows
// that begin in the same banks do not conflict. The accumulator decides what a lane
// computes.

#include "cuda/loaders/tile_stages.cuh"
#include "cuda/parts/load.cuh"
#include "cuda/parts/warp.cuh"

namespace onefold::cuda {

/// Rows are read once.
struct single_pass {};

/// T: what the elements are. Vectors: units are 16 bytes, else elements. Second: rows that are no
/// longer than a tile are read twice: `begin(lane)`, of a Lane that has been folded, makes what
/// adds the elements once more and is folded, and `end(it, lane)` puts its result into the Lane. It
/// has `add`, or `add_vectors(some)`, which all lanes call at once; `nothing()` is what a lane adds
/// that has no vector left.
template <class T, bool Vectors, class Second = single_pass>
class row_tiles {
 public:
  using bits = decltype(bits_at(static_cast<const T*>(nullptr)));
  using unit = std::conditional_t<Vectors, vector_of<T>, bits>;

  /// stages: shape.stages * shape.stage_bytes of this warp, at a multiple of 16 bytes.
  ONEFOLD_DEVICE row_tiles(const strided_rows& rows, std::int64_t* stages, Second second = {})
      : rows_(rows), second_(second), shape_(rows.shape), stages_(rows, stages),
        place_(int(lane_index()) & (shape_.lanes - 1)), row_(int(lane_index()) / shape_.lanes),
        group_(lanes / shape_.lanes), steps_(units(shape_.piece) / shape_.lanes) {
    const int turn = (row_ & (shape_.turn_base - 1)) * shape_.turn / shape_.turn_base;
    const int steps = shape_.inner ? least_inner_units() / shape_.lanes : steps_;
    turned_ = turn < steps ? turn * shape_.lanes * (shape_.inner ? 16 : unit_bytes) : 0;
  }

  /// Rows `first`, `first` + `step`, … of the plane at x, where `step` is that of whole tiles.
  /// make() is an empty Lane, make(bits) one that knows the bits of the row that come first, and
  /// make(bits, bits) one that also knows the last ones in the row's first tile. A Lane has
  /// `add(bits)` for an element, or `add_unit(unit, first element's place in the row)`, which gets
  /// vectors whole; it may have `add_vector(vector)` besides `add`, and `begin()`, which adds the
  /// element that it knows as the row's first. `join(lane)` adds another's, `fold(lanes)` adds
  /// those of neighbours. finish(row, Lane), which every lane of the warp calls, is about as many
  /// rows as there are lanes, one each; row is -1 where a lane has none. Returns the row to go on
  /// from where stops(the first row of a tile) says so, else one that is not there.
  template <class Make, class Finish, class Stops>
  ONEFOLD_DEVICE std::int64_t take(const std::byte* x, std::int64_t first, std::int64_t step,
                                   const Make& make, const Finish& finish, const Stops& stops) {
    const auto none = blank(make);
    batch<std::remove_const_t<decltype(none)>> done{-1, 0, none};
    stages_.begin();
    if constexpr (!two_passes) {
      if (shape_.piece < rows_.items)
        first = take_pieces(x, first, step, make, done, finish, stops);
      else
        first = take_rows(x, first, step, make, done, finish, stops);
    } else {
      first = take_rows(x, first, step, make, done, finish, stops);
    }
    if (done.size > 0) finish(done.row, done.lane);
    stages_.end();
    return first;
  }

 private:
  static constexpr int unit_bytes = Vectors ? 16 : int(sizeof(T)), unrolled = Vectors ? 2 : 4;
  static constexpr int lanes = int(warp_lanes);
  static constexpr bool two_passes = !std::is_same_v<Second, single_pass>;

  ONEFOLD_DEVICE static int units(std::int64_t items) {
    return int(items) * int(sizeof(T)) / unit_bytes;
  }

  // Rows whose sums are complete: of each group that was reduced at once, another lane has them.
  template <class Lane>
  struct batch {
    std::int64_t row;
    int size;
    Lane lane;
  };
  // Every lane of a row has its Lane.
  template <class Lane, class Finish>
  ONEFOLD_DEVICE void complete(std::int64_t row, const Lane& lane, batch<Lane>& done,
                               const Finish& finish) const {
    if (done.size == place_) done.row = row, done.lane = lane;
    if (++done.size < shape_.lanes) return;
    finish(done.row, done.lane);
    done.row = -1, done.size = 0;
  }

  // Tiles of several whole rows.
  template <class Make, class Lane, class Finish, class Stops>
  ONEFOLD_DEVICE std::int64_t take_rows(const std::byte* x, std::int64_t first, std::int64_t step,
                                        const Make& make, batch<Lane>& done, const Finish& finish,
                                        const Stops& stops) {
    const std::int64_t apart = step * rows_.stride;
    std::int64_t ahead = first;
    const std::byte *from = x + first * rows_.stride, *at = from;
    const auto request = [&] {
      if (ahead < rows_.count) stages_.copy_rows(from, rows_from(ahead), place_, row_, group_);
      stages_.end_request();
      ahead += step, from += apart;
    };
    ONEFOLD_ROLLED
    for (int i = 1; i < shape_.stages; ++i) request();
    ONEFOLD_ROLLED
    for (; first < rows_.count && !stops(first); first += step, at += apart) {
      const std::byte* const stage = stages_.oldest();
      request();
      reduce_rows(stage, at, first, make, done, finish);
    }
    return first;
  }
  ONEFOLD_DEVICE int rows_from(std::int64_t first) const {
    return int(min(std::int64_t(shape_.rows), rows_.count - first));
  }
  template <class Make, class Lane, class Finish>
  ONEFOLD_DEVICE void reduce_rows(const std::byte* stage, const std::byte* from, std::int64_t first,
                                  const Make& make, batch<Lane>& done, const Finish& finish) const {
    const int rows = rows_from(first), rest = units(shape_.piece) - steps_ * shape_.lanes;
    const bool shifted = !Vectors && !stages_.are_dense();
    stage += shifted ? 0 : stages_.offset(from);
    if constexpr (!two_passes && !Vectors)
      if (shape_.lanes == 1 && shape_.turn_base == 1 && !shape_.inner)
        return reduce_short_rows(stage, from, shifted ? 15 : 0, first, rows, make, finish);
    ONEFOLD_ROLLED
    for (int r = row_; r - row_ < rows; r += group_) {
      const int own = r < rows ? r : 0;  // a lane without a row reduces the first one once more
      const std::byte* row = stage + own * shape_.pitch;
      if (shifted) row += stages_.offset(from + own * rows_.stride);
      Lane lane = lane_of(row, make);
      if constexpr (two_passes) {
        reduce_twice(row, rest, lane);
      } else {
        reduce(row, steps_, rest, 0, lane);
        lane.fold(shape_.lanes);
      }
      complete(r < rows ? first + r : -1, lane, done, finish);
    }
  }
  template <class Lane>
  ONEFOLD_DEVICE void reduce_twice(const std::byte* row, int rest, Lane& lane) const {
    if constexpr (Vectors) {
      const int most = steps_ + (rest > 0);  // units of a lane
      if (most > 2) return reduce_batches<4>(row, most, rest, lane);
      if (most > 1) return reduce_held<2>(row, rest, lane);
      reduce_held<1>(row, rest, lane);
    } else {
      reduce(row, steps_, rest, 0, lane);
      lane.fold(shape_.lanes);
      auto again = second_.begin(lane);
      reduce(row, steps_, rest, 0, again);
      again.fold(shape_.lanes);
      second_.end(again, lane);
    }
  }
  // `most` vectors of each lane, Units at once: of more, all else would spill.
  template <int Units, class Lane>
  ONEFOLD_DEVICE void reduce_batches(const std::byte* row, int most, int rest, Lane& lane) const {
    unit held[Units];
    ONEFOLD_ROLLED
    for (int i = 0; i < most; i += Units) {
      load_batch(row, i, rest, held);
      ONEFOLD_UNROLL
      for (int j = 0; j < Units; ++j) lane.add_vector(held[j]);
    }
    lane.fold(shape_.lanes);
    auto again = second_.begin(lane);
    ONEFOLD_ROLLED
    for (int i = 0; i < most; i += Units) {
      __syncwarp();  // or the compiler holds all of them
      load_batch(row, i, rest, held);
      again.add_vectors(held);
    }
    again.fold(shape_.lanes);
    second_.end(again, lane);
  }
  // The same of no more than Units, which stay in registers.
  template <int Units, class Lane>
  ONEFOLD_DEVICE void reduce_held(const std::byte* row, int rest, Lane& lane) const {
    unit held[Units];
    load_batch(row, 0, rest, held);
    ONEFOLD_UNROLL
    for (const unit& each : held) lane.add_vector(each);
    lane.fold(shape_.lanes);
    auto again = second_.begin(lane);
    again.add_vectors(held);
    again.fold(shape_.lanes);
    second_.end(again, lane);
  }
  template <int Units>
  ONEFOLD_DEVICE void load_batch(const std::byte* row, int first, int rest,
                                 unit (&held)[Units]) const {
    const std::byte* const begin = row + place_ * unit_bytes;
    const int step = shape_.lanes * unit_bytes;
    if (rest == 0 && (steps_ == 8 || steps_ == Units)) {  // none is turned beyond the row by xor
      ONEFOLD_UNROLL
      for (int j = 0; j < Units; ++j) held[j] = load(begin + ((first + j) * step ^ turned_));
    } else {
      ONEFOLD_UNROLL
      for (int j = 0; j < Units; ++j)
        held[j] = first + j < steps_ + (place_ < rest) ? load(begin + (first + j) * step)
                                                       : Second::nothing();
    }
  }

  // The same of a lane a row, whose elements it reads in order: no step costs more than it must.
  template <class Make, class Finish>
  ONEFOLD_DEVICE void reduce_short_rows(const std::byte* stage, const std::byte* from,
                                        unsigned offsets, std::int64_t first, int rows,
                                        const Make& make, const Finish& finish) const {
    const auto begin = unsigned(reinterpret_cast<std::uintptr_t>(from));
    ONEFOLD_ROLLED
    for (int r = row_; r - row_ < rows; r += lanes) {
      const int own = r < rows ? r : 0;
      const unsigned place = begin + unsigned(own) * unsigned(rows_.stride);
      const std::byte* const at = stage + own * shape_.pitch + int(place & offsets);
      auto lane = lane_of(at, make);
      int i = 0;
      if constexpr (requires { lane.begin(); }) lane.begin(), i = 1;
      ONEFOLD_UNROLL_BY_4
      for (; i < shape_.piece; ++i) add(lane, load(at + i * int(sizeof(T))), std::uint32_t(i));
      finish(r < rows ? first + r : -1, lane);
    }
  }

  // Tiles of a piece of one row.
  template <class Make, class Lane, class Finish, class Stops>
  ONEFOLD_DEVICE std::int64_t take_pieces(const std::byte* x, std::int64_t row, std::int64_t step,
                                          const Make& make, batch<Lane>& done, const Finish& finish,
                                          const Stops& stops) {
    const std::int64_t apart = step * rows_.stride;
    std::int64_t ahead = row, ahead_at = 0;
    const std::byte *from = x + row * rows_.stride, *at = from;
    const auto request = [&] {
      if (ahead < rows_.count)
        stages_.copy(from + ahead_at * std::int64_t(sizeof(T)),
                     piece_from(ahead_at) * int(sizeof(T)));
      stages_.end_request();
      ahead_at += shape_.piece;
      if (ahead_at >= rows_.items) ahead_at = 0, ahead += step, from += apart;
    };
    ONEFOLD_ROLLED
    for (int i = 1; i < shape_.stages; ++i) request();
    ONEFOLD_ROLLED
    for (; row < rows_.count && !stops(row); row += step, at += apart) {
      const int before = stages_.offset(at);  // pieces are whole vectors
      Lane total = done.lane;                 // any, until the first piece
      ONEFOLD_ROLLED
      for (std::int64_t item = 0; item < rows_.items; item += shape_.piece) {
        const std::byte* const stage = stages_.oldest() + before;
        request();
        if (item == 0) total = lane_of(stage, make);
        Lane some = total.none();
        const int count = units(piece_from(item));
        reduce(stage, count / lanes, count % lanes, std::uint32_t(item), some);
        total.join(some);
      }
      total.fold(lanes);
      complete(row, total, done, finish);
    }
    return row;
  }
  ONEFOLD_DEVICE int piece_from(std::int64_t item) const {
    return int(min(std::int64_t(shape_.piece), rows_.items - item));
  }

  template <class Make>
  ONEFOLD_DEVICE static auto blank(const Make& make) {
    if constexpr (std::is_invocable_v<Make>)
      return make();
    else if constexpr (std::is_invocable_v<Make, bits>)
      return make(bits{});
    else
      return make(bits{}, bits{});
  }
  // It may know the first bits that the first lane of the row reads, and the last ones of its tile.
  template <class Make>
  ONEFOLD_DEVICE auto lane_of(const std::byte* row, const Make& make) const {
    if constexpr (std::is_invocable_v<Make>) {
      return make();
    } else {
      bits first = *reinterpret_cast<const bits*>(row + turned_);
      if (shape_.lanes > 1)
        first = bits(__shfl_sync(whole_warp, first, int(lane_index()) - place_));
      if constexpr (std::is_invocable_v<Make, bits>)
        return make(first);
      else
        return make(first,
                    *reinterpret_cast<const bits*>(row + (shape_.piece - 1) * int(sizeof(T))));
    }
  }
  // Units place, place + lanes, …: `steps` of them, and one of the `rest`. The row's element
  // `item` is its first one here.
  template <class Lane>
  ONEFOLD_DEVICE void reduce(const std::byte* row, int steps, int rest, std::uint32_t item,
                             Lane& lane) const {
    if constexpr (!Vectors && requires(vector_of<T> x) { lane.add_unit(x, item); })
      if (shape_.inner) return reduce_inner(row, steps * shape_.lanes + rest, item, lane);
    const int step = shape_.lanes * unit_bytes;
    const std::byte *const begin = row + place_ * unit_bytes, *const end = begin + steps * step;
    if (rest > place_) add(lane, load(end), item + items_to(row, end));
    const std::byte* at = begin + turned_;
    if (shape_.turn_base > 1)
      add_units(steps, row, item, lane, [&] {
        const std::byte* const now = at;
        at += step;
        if (at == end) at = begin;
        return now;
      });
    else
      add_units(steps, row, item, lane, [&] {
        const std::byte* const now = at;
        at += step;
        return now;
      });
  }
  // The elements before the first whole vector and after the last one, and the vectors.
  template <class Lane>
  ONEFOLD_DEVICE void reduce_inner(const std::byte* row, int items, std::uint32_t item,
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
  ONEFOLD_DEVICE static void add_units(int left, const std::byte* row, std::uint32_t item,
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

  const strided_rows& rows_;
  Second second_;
  const row_tile_shape& shape_;
  tile_stages<T, Vectors> stages_;
  int place_, row_;    // of this lane in its row, and its first row of a tile
  int group_, steps_;  // rows that a warp reduces at once, and units of a lane in a whole tile
  int turned_;         // bytes from the row's begin to the unit that it reads first
};

}  // namespace onefold::cuda
