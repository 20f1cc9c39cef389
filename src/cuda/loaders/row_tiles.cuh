// SPDX-License-Identifier: Apache-2.0
#pragma once
// A multistage pipeline of row tiles: a warp copies tiles of neighbouring rows to shared memory
// (cp.async) while it reduces the tile before. A few threads, or one, reduce a row
// (row_reader.cuh). The accumulator, `Lane` below, is what one of these threads has of a row.

#include "cuda/loaders/row_reader.cuh"
#include "cuda/loaders/tile_stages.cuh"

namespace onefold::cuda {

/// The lanes add the units of a row in one reading.
struct read_once {};

/// T: what the elements are. Vectors: units are 16 bytes, else elements. Read: rows that are no
/// longer than a tile are read otherwise: read(reader, row, lane) makes the Lane of a row from its
/// bytes in shared memory, and read.short_row(row, items, lane) where one lane has all of it.
template <class T, bool Vectors, class Read = read_once>
class row_tiles {
 public:
  using bits = typename row_reader<T, Vectors>::bits;

  /// stages: shape.stages * shape.stage_bytes of this warp, at a multiple of 16 bytes.
  ONEFOLD_DEVICE row_tiles(const strided_rows& rows, std::int64_t* stages, const Read& read = {})
      : rows_(rows), read_(read), shape_(rows.shape), stages_(rows, stages),
        reader_(rows.shape, rows.shape.piece), row_(reader_.row()),
        group_(lanes >> reader_.lane_bits()) {}

  /// Reduces rows first, first + step, … of the plane at x; step: between this warp's tiles.
  ///
  /// Required of a Lane:
  ///   make(), make(a), make(a, b)   empty; knows the row's first element; and the last one of the
  ///                                 row's first tile
  ///   add(bits), or                 an element;
  ///   add_unit(unit, i)             a whole vector, or an element, whose first element has index i
  ///   fold(n)                       merges the Lanes of n neighbouring threads, which have one row
  ///   none(), join(lane), or        for rows longer than a tile: a Lane for each tile, merged;
  ///   goes_on                       a member that says that one Lane takes all tiles
  /// Optional:
  ///   add_vector(vector)            besides add
  ///   begin() or add_first(bits), then add_next(bits, i)   of a row of one thread, in order
  ///
  /// finish(row, lane) is called by the whole warp for up to 32 rows at once, one a thread; row is
  /// -1 for a thread without one. stops(row), of a tile's first row, has one value in a warp.
  /// Returns the row at which it stopped, or one beyond the last.
  template <class Make, class Finish, class Stops>
  ONEFOLD_DEVICE std::int64_t take(const std::byte* x, std::int64_t first, std::int64_t step,
                                   const Make& make, const Finish& finish, const Stops& stops) {
    const auto none = blank(make);
    batch<std::remove_const_t<decltype(none)>> done{-1, 0, none};
    stages_.begin();
    if constexpr (reads_once) {
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
  static constexpr int lanes = int(warp_lanes);
  static constexpr bool reads_once = std::is_same_v<Read, read_once>;

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
    if (done.size == reader_.place()) done.row = row, done.lane = lane;
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
      if (ahead < rows_.count)
        stages_.copy_rows(from, rows_from(ahead), reader_.place(), row_, group_);
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
    const int rows = rows_from(first);
    const bool shifted = !Vectors && !stages_.are_dense();
    stage += shifted ? 0 : stages_.offset(from);
    if constexpr (!Vectors)
      if (shape_.lanes == 1 && shape_.turn_base == 1 && !shape_.inner)
        return reduce_short_rows(stage, from, shifted ? 15 : 0, first, rows, make, finish);
    ONEFOLD_ROLLED
    for (int r = row_; r - row_ < rows; r += group_) {
      const int own = r < rows ? r : 0;  // a lane without a row reduces the first one once more
      const std::byte* row = stage + own * shape_.pitch;
      if (shifted) row += stages_.row_offset(from + own * rows_.stride);
      Lane lane = lane_of(row, make);
      if constexpr (reads_once)
        reader_.add_row(row, lane), lane.fold(shape_.lanes);
      else
        read_(reader_, row, lane);
      complete(r < rows ? first + r : -1, lane, done, finish);
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
      if constexpr (reads_once)
        add_elements(at, lane);
      else
        read_.short_row(reinterpret_cast<const bits*>(at), shape_.piece, lane);
      finish(r < rows ? first + r : -1, lane);
    }
  }

  template <class Lane>
  ONEFOLD_DEVICE void add_elements(const std::byte* at, Lane& lane) const {
    const auto load = [at](int i) { return row_reader<T, false>::load(at + i * int(sizeof(T))); };
    int i = 0;
    if constexpr (requires { lane.begin(); }) lane.begin(), i = 1;
    if constexpr (requires { lane.add_next(load(0), 0u); }) {
      lane.add_first(load(0));
      ONEFOLD_UNROLL_BY_4
      for (i = 1; i < shape_.piece; ++i) lane.add_next(load(i), std::uint32_t(i));
    } else {
      ONEFOLD_UNROLL_BY_4
      for (; i < shape_.piece; ++i) reader_.add(lane, load(i), std::uint32_t(i));
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
      const int before = stages_.offset(at);  // pieces are whole lines
      Lane total = done.lane;                 // any, until the first piece
      ONEFOLD_ROLLED
      for (std::int64_t item = 0; item < rows_.items; item += shape_.piece) {
        const std::byte* const stage = stages_.oldest() + before;
        request();
        if (item == 0) total = lane_of(stage, make);
        const int count = reader_.units(piece_from(item));
        const auto add_to = [&](Lane& lane) {
          reader_.add_units(stage, count / lanes, count % lanes, std::uint32_t(item), lane);
        };
        if constexpr (requires { Lane::goes_on; }) {
          add_to(total);
        } else {
          Lane some = total.none();
          add_to(some);
          total.join(some);
        }
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
      const bits first = reader_.first_bits(row);
      if constexpr (std::is_invocable_v<Make, bits>)
        return make(first);
      else
        return make(first,
                    *reinterpret_cast<const bits*>(row + (shape_.piece - 1) * int(sizeof(T))));
    }
  }

  const strided_rows& rows_;
  Read read_;
  const row_tile_shape& shape_;
  tile_stages<T, Vectors> stages_;
  row_reader<T, Vectors> reader_;
  int row_;    // this lane's first one of a tile
  int group_;  // rows that a warp reduces at once
};

}  // namespace onefold::cuda
