// SPDX-License-Identifier: Apache-2.0
#pragma once
// Rows that begin anywhere, by way of shared memory: several a step, or one in tiles. Lanes add
// elements, not vectors, so that nothing has to be masked at the ends of rows.

#include "cuda/kernels/batched/rows/ring.cuh"
#include "cuda/kernels/batched/rows/rows_shape.hpp"

namespace onefold::cuda {

inline constexpr int tile_stages = 2, tile_loads = int(tile_bytes) / 512;
inline constexpr int tile_words = tile_stages * tile_loads * int(warp_lanes) * 2;  ///< of a warp
inline constexpr int tile_blocks = 4;  ///< of a multiprocessor: as many as it has shared memory for

/// What a lane of a group adds of a row: every group-th element.
template <class Terms, class Sum>
class tile_sum {
 public:
  using T = typename Terms::element;
  using sum = Sum;

  ONEFOLD_DEVICE explicit tile_sum(const rows_arguments& a)
      : group_(int(a.group)), place_(int(lane_index()) & (group_ - 1)) {}

  ONEFOLD_DEVICE void clear() { total_ = sum(); }
  ONEFOLD_DEVICE void add(const T* row, int count) {
    if constexpr (sizeof(T) == 1)
      add_vectors(row, count);
    else if constexpr (sizeof(T) == 2)
      add_pairs(row, count);
    else
      add_items(row, count);
  }
  /// Of all lanes of the group.
  ONEFOLD_DEVICE sum joined() const {
    sum total = total_;
    ONEFOLD_ROLLED
    for (int mask = group_ / 2; mask > 0; mask /= 2) total.join(sum_across(total, mask));
    return total;
  }
  ONEFOLD_DEVICE static void write_part(const sum& total, const batched_arguments& a,
                                        std::int64_t q) {
    if constexpr (std::is_same_v<sum, typename Terms::sum>) {
      const std::int64_t row = q / a.parts, part = q - row * a.parts;
      write_sum(total, a.partials + (part * a.answers() + row), a.answers() * a.parts);
    }
  }

 private:
  ONEFOLD_DEVICE void add_items(const T* row, int count) {
    constexpr int some = 4;  // loads on their way
    const int step = some * group_;
    int i = place_;
    ONEFOLD_ROLLED
    for (; i + step - group_ < count; i += step) {
      typename Terms::bits x[some];
      ONEFOLD_UNROLL
      for (int j = 0; j < some; ++j) x[j] = bits_at(row + i + j * group_);
      ONEFOLD_UNROLL
      for (int j = 0; j < some; ++j) Terms::add(total_, x[j]);
    }
    ONEFOLD_ROLLED
    for (; i < count; i += 2 * group_) {
      const auto first = bits_at(row + i);
      const auto second = i + group_ < count ? bits_at(row + i + group_) : Terms::pad;
      Terms::add(total_, first), Terms::add(total_, second);
    }
  }
  // Two at a time, and those at the ends that share a word with others.
  ONEFOLD_DEVICE void add_pairs(const T* row, int count) {
    constexpr int some = 4;
    const int odd = int(reinterpret_cast<std::uintptr_t>(row) / sizeof(T) % 2);
    const auto* const words = reinterpret_cast<const std::uint32_t*>(row + odd);
    const int pairs = (count - odd) / 2, step = some * group_;
    int i = place_;
    const auto add_pair = [&](std::uint32_t pair) {
      Terms::add(total_, typename Terms::bits(pair & 0xFFFF));
      Terms::add(total_, typename Terms::bits(pair >> 16));
    };
    ONEFOLD_ROLLED
    for (; i + step - group_ < pairs; i += step) {
      std::uint32_t x[some];
      ONEFOLD_UNROLL
      for (int j = 0; j < some; ++j) x[j] = words[i + j * group_];
      ONEFOLD_UNROLL
      for (int j = 0; j < some; ++j) add_pair(x[j]);
    }
    ONEFOLD_ROLLED
    for (; i < pairs; i += group_) add_pair(words[i]);
    if (place_ == 0 && odd != 0) Terms::add(total_, bits_at(row));
    if (place_ == group_ - 1 && (count - odd) % 2 != 0)
      Terms::add(total_, bits_at(row + count - 1));
  }
  // Bytes, sixteen at a time.
  ONEFOLD_DEVICE void add_vectors(const T* row, int count) {
    constexpr int items = vector_items<T>;
    const int before = int(reinterpret_cast<std::uintptr_t>(row) % 16);
    const row_piece<T> piece = {row, count, before};
    ONEFOLD_ROLLED
    for (int first = place_ * items - before; first < count; first += group_ * items) {
      const uint4 v = load_copied<T>(reinterpret_cast<const std::int64_t*>(row + first));
      Terms::add_vector(total_, row_reader<Terms>::without_neighbours(v, piece, first));
    }
  }

  int group_, place_;
  sum total_;
};

/// Sum: what a lane adds in.
template <class Terms, class Sum>
class tiled_rows {
 public:
  using T = typename Terms::element;

  /// stages: tile_words of this warp.
  ONEFOLD_DEVICE tiled_rows(const rows_arguments& a, std::int64_t* stages, std::int64_t* words)
      : a_(a), reader_(a.batch), ring_(stages), words_(words), lane_(a),
        all_(a.batch.answers() * a.batch.parts), place_(int(lane_index() & (a.group - 1))) {}

  /// Rows, or parts of rows, first … first + a.rows - 1, and so on at every `stride`.
  template <bool Plain>
  ONEFOLD_DEVICE void take(std::int64_t first, std::int64_t stride) {
    if (a_.tile >= a_.batch.n) return take_rows<Plain>(first, stride);
    take_tiles<Plain>(first, stride);
  }

 private:
  template <bool Plain>
  ONEFOLD_DEVICE void take_rows(std::int64_t first, std::int64_t stride) {
    std::int64_t ahead = first;
    ONEFOLD_ROLLED
    for (int i = 1; i < tile_stages; ++i, ahead += stride) request_rows(ahead);
    ONEFOLD_ROLLED
    for (; first < all_; first += stride, ahead += stride) {
      const std::int64_t* const stage = ring_.oldest();
      request_rows(ahead);
      add_rows<Plain>(first, reinterpret_cast<const T*>(stage) + reader_.rows(first, 0).before);
    }
  }
  ONEFOLD_DEVICE int rows_at(std::int64_t first) const {
    return int(min(std::int64_t(a_.rows), all_ - first));
  }
  ONEFOLD_DEVICE void request_rows(std::int64_t first) {
    if (0 < first && first + a_.rows < all_)  // the neighbours have whole vectors
      ring_.request(static_cast<const T*>(a_.batch.x) + first * a_.batch.n,
                    a_.rows * int(a_.batch.n));
    else
      ring_.request(reader_, reader_.rows(first, rows_at(first)));
  }
  template <bool Plain>
  ONEFOLD_DEVICE void add_rows(std::int64_t first, const T* staged) {
    const int count = rows_at(first), n = int(a_.batch.n), each = int(warp_lanes / a_.group);
    ONEFOLD_ROLLED
    for (int row = int(lane_index() / a_.group); row / each * each < count; row += each) {
      lane_.clear();
      if (row < count) lane_.add(staged + row * n, n);
      finish<Plain>(first + row, row < count);
    }
  }

  /// The next elements of a row or part: those from `at` on.
  struct place {
    std::int64_t q;
    row_piece<T> row;
    int at;
  };
  template <bool Plain>
  ONEFOLD_DEVICE void take_tiles(std::int64_t first, std::int64_t stride) {
    place now = {first, reader_.piece(first), 0}, ahead = now;
    ONEFOLD_ROLLED
    for (int i = 1; i < tile_stages; ++i) request_tile(ahead, stride);
    ONEFOLD_ROLLED
    while (now.q < all_) {
      const std::int64_t* const stage = ring_.oldest();
      request_tile(ahead, stride);
      const row_piece<T> tile = tile_at(now);
      if (now.at == 0) lane_.clear();
      lane_.add(reinterpret_cast<const T*>(stage) + tile.before, tile.count);
      if (now.at + tile.count == now.row.count) finish<Plain>(now.q, true);
      advance(now, stride);
    }
  }
  ONEFOLD_DEVICE row_piece<T> tile_at(const place& at) const {
    return reader_.part_of(at.row, at.at, min(a_.tile, at.row.count - at.at));
  }
  ONEFOLD_DEVICE void advance(place& at, std::int64_t stride) const {
    at.at += a_.tile;
    if (at.at >= at.row.count) at = {at.q + stride, reader_.piece(at.q + stride), 0};
  }
  ONEFOLD_DEVICE void request_tile(place& ahead, std::int64_t stride) {
    ring_.request(reader_, tile_at(ahead));
    if (ahead.q < all_) advance(ahead, stride);
  }

  // Every lane of the warp calls it.
  template <bool Plain>
  ONEFOLD_DEVICE void finish(std::int64_t q, bool has_row) {
    const Sum total = lane_.joined();
    const bool writes = has_row && place_ == 0;
    if (a_.batch.parts > 1) {
      if (writes) lane_.write_part(total, a_.batch, q);
      return;
    }
    const bool certified = !writes || write_row<Terms, Plain>(total, a_.batch, a_.by, q);
    if constexpr (Terms::digits > 0)
      if (any_lane(!certified)) fallback_answers<Terms>(a_.batch, !certified, q, words_);
  }

  const rows_arguments& a_;
  row_reader<Terms> reader_;
  row_ring<Terms, tile_stages, tile_loads> ring_;
  std::int64_t* words_;
  tile_sum<Terms, Sum> lane_;
  std::int64_t all_;
  int place_;
};

}  // namespace onefold::cuda
