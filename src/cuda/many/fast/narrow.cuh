// SPDX-License-Identifier: Apache-2.0
#pragma once
// Fast sums of narrow columns by way of shared memory: a warp copies a band of rows as it lies,
// stage by stage. A lane has a column, of few columns one of several groups of 16 rows side by
// side. Sums of groups are added in their order.

#include "cuda/many/answers.cuh"
#include "cuda/many/fast/answer.cuh"
#include "cuda/many/fast/shape.hpp"
#include "cuda/parts/copy.cuh"
#include "cuda/parts/lanes.cuh"

namespace onefold::cuda {

inline constexpr int narrow_stages = 4;
inline constexpr int narrow_stage_words = int(stage_bytes + narrow_pad_bytes) / 8;
/// Of 64 bits, of a warp.
inline constexpr int narrow_words = narrow_stages * narrow_stage_words;

/// Which rows come next: those from `row` on of a band.
struct narrow_place {
  std::int64_t outer, band;
  int row = 0;
};

template <class Terms>
class narrow_columns {
 public:
  using T = typename Terms::element;

  ONEFOLD_DEVICE narrow_columns(const many_arguments& a, const narrow_shape& shape,
                                std::int64_t* stages)
      : a_(a), shape_(shape), stages_(stages), inner_(int(a.inner)) {
    const int lane = int(lane_index());
    group_ = shape.groups > 1 ? lane / inner_ : 0;
    column_ = lane - group_ * inner_;
    const int vectors = stage_rows() * inner_ / items;
    copies_ = (vectors - lane + int(warp_lanes) - 1) / int(warp_lanes);
    ONEFOLD_UNROLL
    for (int i = 0; i < copies; ++i) to_[i] = place_of(lane + i * int(warp_lanes));
  }

  /// Bands first, first + stride, … of all.
  ONEFOLD_DEVICE void take(std::int64_t first, std::int64_t stride) {
    step_ = {stride / a_.parts, stride % a_.parts};
    narrow_place now = {first / a_.parts, first % a_.parts};
    ask_ = now;
    for (int i = 1; i < narrow_stages; ++i) request();
    ONEFOLD_ROLLED
    while (now.outer < a_.outer) {
      const std::int64_t* const stage = oldest();
      request();
      const int left = rows_of(now.band) - now.row, rows = min(left, stage_rows());
      add_stage(stage, rows);
      if (shape_.groups > 1)
        close_groups(rows);
      else if ((now.row + rows) % int(tuning::group_rows) == 0 || rows == left)
        close_group();
      if (rows == left) write(now);
      advance(now);
    }
  }

 private:
  static constexpr int width = int(sizeof(T)), items = 16 / width;
  static constexpr int copies = int(stage_bytes) / 16 / int(warp_lanes);
  static constexpr int columns = int(narrow_row_bytes) / width / int(warp_lanes);  // of a lane

  ONEFOLD_DEVICE int stage_rows() const { return shape_.groups * shape_.rows; }
  ONEFOLD_DEVICE int rows_of(std::int64_t band) const {
    return int(min(std::int64_t(tuning::band_rows), a_.n - band * tuning::band_rows));
  }
  ONEFOLD_DEVICE void advance(narrow_place& at) const {
    at.row += stage_rows();
    if (at.row < rows_of(at.band)) return;
    at = {at.outer + step_.outer, at.band + step_.band};
    if (at.band >= a_.parts) at.band -= a_.parts, ++at.outer;
  }

  // Every stage is a group of copies, even where there is nothing left.
  ONEFOLD_DEVICE void request() {
    if (ask_.outer < a_.outer) {
      const std::int64_t row = ask_.outer * a_.n + ask_.band * tuning::band_rows + ask_.row;
      const int rows = min(rows_of(ask_.band) - ask_.row, stage_rows());
      copy(static_cast<const T*>(a_.x) + row * inner_, rows * inner_);
      advance(ask_);
    }
    end_copies();
    put_ = next(put_);
  }
  ONEFOLD_DEVICE void copy(const T* from, int count) {
    if (count == stage_rows() * inner_) return copy_stage(from);
    ONEFOLD_ROLLED
    for (int i = 0; i < copies; ++i) {
      const int first = first_of(i);
      std::int64_t* const to = stages_ + put_ + place_of(first / items);
      if (first + items <= count)
        begin_copy(to, from + first);
      else if (first < count)
        copy_items(from + first, count - first, reinterpret_cast<T*>(to));
    }
  }
  ONEFOLD_DEVICE void copy_stage(const T* from) {
    const T* const mine = from + first_of(0);
    ONEFOLD_UNROLL
    for (int i = 0; i < copies; ++i)
      if (i < copies_) begin_copy(stages_ + put_ + to_[i], mine + (first_of(i) - first_of(0)));
  }
  ONEFOLD_DEVICE static int first_of(int copy) {
    return (int(lane_index()) + copy * int(warp_lanes)) * items;
  }
  // Where a vector lies in a stage, in words.
  ONEFOLD_DEVICE int place_of(int vector) const {
    const int vectors = shape_.rows * inner_ / items, group = vector / vectors;
    return (group * shape_.pitch + (vector - group * vectors) * 16) / 8;
  }
  ONEFOLD_DEVICE static void copy_items(const T* from, int count, T* to) {
    ONEFOLD_ROLLED
    for (int i = 0; i < count; ++i) to[i] = from[i];
  }
  ONEFOLD_DEVICE const std::int64_t* oldest() {
    wait_for_copies<narrow_stages - 2>();
    __syncwarp();
    const std::int64_t* const at = stages_ + take_;
    take_ = next(take_);
    return at;
  }
  ONEFOLD_DEVICE static int next(int at) {
    return at + narrow_stage_words == narrow_words ? 0 : at + narrow_stage_words;
  }

  ONEFOLD_DEVICE void add_stage(const std::int64_t* stage, int rows) {
    const auto* const at = reinterpret_cast<const T*>(reinterpret_cast<const std::byte*>(stage) +
                                                      group_ * shape_.pitch);
    const int mine = min(rows - group_ * shape_.rows, shape_.rows);
    ONEFOLD_UNROLL
    for (int j = 0; j < columns; ++j) {
      const int column = column_ + j * int(warp_lanes);
      if (column < inner_ && group_ < shape_.groups) add_rows(at + column, mine, sums_[j].group);
    }
  }
  ONEFOLD_DEVICE void add_rows(const T* at, int rows, T& sum) const {
    constexpr int some = int(tuning::group_rows) / 2;
    ONEFOLD_ROLLED
    for (; rows >= some; rows -= some, at += some * inner_) {
      T x[some];
      ONEFOLD_UNROLL
      for (int i = 0; i < some; ++i) x[i] = at[i * inner_];
      ONEFOLD_UNROLL
      for (int i = 0; i < some; ++i) sum += Terms::term(x[i]);
    }
    ONEFOLD_ROLLED
    for (; rows > 0; --rows, at += inner_) sum += Terms::term(*at);
  }

  ONEFOLD_DEVICE void close_group() {
    ONEFOLD_UNROLL
    for (int j = 0; j < columns; ++j) {
      sums_[j].total += sums_[j].group;
      sums_[j].group = T(-0.0);
    }
  }
  // The total is in all lanes of a column.
  ONEFOLD_DEVICE void close_groups(int rows) {
    constexpr int some = 4;  // on their way
    const T mine = sums_[0].group;
    ONEFOLD_ROLLED
    for (int lane = column_; rows > 0; lane += some * inner_) {
      T sums[some];
      ONEFOLD_UNROLL
      for (int i = 0; i < some; ++i) sums[i] = __shfl_sync(whole_warp, mine, lane + i * inner_);
      ONEFOLD_UNROLL
      for (int i = 0; i < some; ++i, rows -= shape_.rows)
        if (rows > 0) sums_[0].total += sums[i];
    }
    sums_[0].group = T(-0.0);
  }
  ONEFOLD_DEVICE void write(const narrow_place& at) {
    ONEFOLD_UNROLL
    for (int j = 0; j < columns; ++j) {
      const int column = column_ + j * int(warp_lanes);
      const std::int64_t k = at.outer * inner_ + column;
      if (group_ == 0 && column < inner_) write_part(sums_[j].total, k, at.band);
      sums_[j].total = T(-0.0);
    }
  }
  ONEFOLD_DEVICE void write_part(T sum, std::int64_t k, std::int64_t band) const {
    if (a_.parts == 1)
      write_fast(sum, a_.form, a_.out, k);
    else
      a_.partials[k * a_.parts + band] = word_of_number(sum);
  }

  struct column_sum {
    T total = T(-0.0), group = T(-0.0);
  };

  const many_arguments& a_;
  narrow_shape shape_;
  std::int64_t* stages_;
  int inner_, group_, column_, copies_, to_[copies], put_ = 0, take_ = 0;
  narrow_place ask_ = {}, step_ = {};
  column_sum sums_[columns];
};

}  // namespace onefold::cuda
