// SPDX-License-Identifier: Apache-2.0
#pragma once
// Fast sums of narrow columns by way of shared memory: a block copies bands of rows as they lie,
// stage by stage, whole groups of 16 rows. A lane adds a column of a group. Meanwhile one more warp
// adds the sums of the groups of the stage before in their order, a column each.

#include "cuda/many/answers.cuh"
#include "cuda/many/fast/answer.cuh"
#include "cuda/many/fast/narrow.cuh"
#include "cuda/parts/copy.cuh"
#include "cuda/parts/lanes.cuh"

namespace onefold::cuda {

inline constexpr int banded_stages = 4;
inline constexpr int banded_stage_words = int(banded_stage_bytes + banded_pad_bytes) / 8;
/// Of 64 bits, of a block: its stages, and the sums of the groups of two of them.
inline constexpr int banded_words = banded_stages * banded_stage_words + 2 * int(columns_threads);

template <class Terms>
class banded_columns {
 public:
  using T = typename Terms::element;

  /// words: banded_words of this block, which has banded_threads.
  ONEFOLD_DEVICE banded_columns(const many_arguments& a, const banded_shape& shape,
                                std::int64_t* words)
      : a_(a), shape_(shape), stages_(words),
        sums_(reinterpret_cast<T*>(words + banded_stages * banded_stage_words)),
        inner_(int(a.inner)) {
    const int mine = adds() ? int(threadIdx.x) : int(threadIdx.x) - threads;
    group_ = adds() || shape.units > 1 ? mine / inner_ : 0;
    column_ = mine - group_ * inner_;
    ONEFOLD_UNROLL
    for (int i = 0; i < copies; ++i) to_[i] = place_of(mine + i * threads);
    ONEFOLD_UNROLL
    for (T& total : totals_) total = T(-0.0);
  }

  /// Bands first, first + stride, … of all, or so many units of them.
  ONEFOLD_DEVICE void take(std::int64_t first, std::int64_t stride) {
    first *= shape_.units, stride *= shape_.units;
    step_ = {stride / a_.parts, stride % a_.parts};
    ask_ = close_ = {first / a_.parts, first % a_.parts};
    from_ = begin_of(ask_);
    int rows[banded_stages];  // of the stages on their way; 0: nothing is left
    ONEFOLD_UNROLL
    for (int i = 1; i < banded_stages; ++i) rows[i] = request();
    bool follows = false;
    ONEFOLD_ROLLED
    for (; rows[1] > 0; follows = true) {
      ONEFOLD_UNROLL
      for (int i = 1; i < banded_stages; ++i) rows[i - 1] = rows[i];
      wait_for_copies<banded_stages - 2>();
      __syncthreads();
      rows[banded_stages - 1] = request();
      if (adds())
        add_stage(rows[0]);
      else if (follows)
        close();
      side_ ^= threads;
    }
    __syncthreads();
    if (follows && !adds()) close();
  }

 private:
  static constexpr int threads = int(columns_threads), lanes = int(warp_lanes);
  static constexpr int width = int(sizeof(T)), items = 16 / width;
  static constexpr int copies = int(banded_stage_bytes) / 16 / threads;
  static constexpr int rows_each = int(tuning::group_rows);
  static constexpr int columns = int(narrow_row_bytes) / width / lanes;  // of a lane that closes

  /// Whether this lane copies and adds; others close groups.
  ONEFOLD_DEVICE static bool adds() { return int(threadIdx.x) < threads; }
  ONEFOLD_DEVICE int stage_rows() const { return shape_.groups * rows_each; }
  ONEFOLD_DEVICE int rows_of(std::int64_t band) const {
    return int(min(std::int64_t(tuning::band_rows), a_.n - band * tuning::band_rows));
  }
  ONEFOLD_DEVICE int rows_at(const narrow_place& at) const {
    if (shape_.units > 1)
      return int(min(std::int64_t(shape_.units), a_.outer - at.outer)) * int(a_.n);
    return min(rows_of(at.band) - at.row, stage_rows());
  }
  ONEFOLD_DEVICE const T* begin_of(const narrow_place& at) const {
    return static_cast<const T*>(a_.x) + (at.outer * a_.n + at.band * tuning::band_rows) * inner_ +
           int(threadIdx.x) * items;
  }
  /// Whether a band begins.
  ONEFOLD_DEVICE bool advance(narrow_place& at) const {
    at.row += stage_rows();
    if (at.row < rows_of(at.band)) return false;
    at = {at.outer + step_.outer, at.band + step_.band};
    if (at.band >= a_.parts) at.band -= a_.parts, ++at.outer;
    return true;
  }

  // The rows of the next stage. Every stage is a group of copies, even where there is nothing left.
  ONEFOLD_DEVICE int request() {
    int rows = 0;
    if (ask_.outer < a_.outer) {
      rows = rows_at(ask_);
      if (adds()) copy(from_, rows * inner_);
      from_ += stage_rows() * inner_;
      if (advance(ask_)) from_ = begin_of(ask_);
    }
    end_copies();
    put_ = next(put_);
    return rows;
  }
  ONEFOLD_DEVICE void copy(const T* mine, int count) {
    const int left = int(unsigned(count) / items) - int(threadIdx.x);
    std::int64_t* const stage = stages_ + put_;
    ONEFOLD_UNROLL
    for (int i = 0; i < copies; ++i)
      begin_copy_if(i * threads < left, stage + to_[i], mine + i * threads * items);
    if (count % items != 0 && threadIdx.x == 0) copy_rest(mine, count);
  }
  // Of the very last stage.
  ONEFOLD_DEVICE void copy_rest(const T* from, int count) {
    const int first = count / items * items;
    T* const to = reinterpret_cast<T*>(stages_ + put_ + place_of(count / items));
    ONEFOLD_ROLLED
    for (int i = first; i < count; ++i) to[i - first] = from[i];
  }
  // Where a vector lies in a stage, in words.
  ONEFOLD_DEVICE int place_of(int vector) const {
    const int vectors = rows_each * inner_ / items, group = vector / vectors;
    return (group * shape_.pitch + (vector - group * vectors) * 16) / 8;
  }
  ONEFOLD_DEVICE static int next(int at) {
    return at + banded_stage_words == banded_stages * banded_stage_words ? 0
                                                                         : at + banded_stage_words;
  }

  ONEFOLD_DEVICE void add_stage(int rows) {
    const auto* const stage = reinterpret_cast<const std::byte*>(stages_ + take_);
    const int mine = min(rows - group_ * rows_each, rows_each);
    if (mine > 0 && group_ < shape_.groups)
      sums_[side_ + int(threadIdx.x)] =
          group_sum(reinterpret_cast<const T*>(stage + group_ * shape_.pitch) + column_, mine);
    take_ = next(take_);
  }
  ONEFOLD_DEVICE T group_sum(const T* at, int rows) const {
    const auto term = [](T x) { return Terms::term(x); };
    if (rows == rows_each) return added<rows_each>(at, rows_each, T(-0.0), term);
    return added<rows_each>(at, rows, T(-0.0), term);
  }
  /// Of up to Count, all on their way at once: -0 changes no sum.
  template <int Count, class F>
  ONEFOLD_DEVICE T added(const T* at, int count, T sum, F&& term) const {
    T x[Count];
    ONEFOLD_UNROLL
    for (int i = 0; i < Count; ++i) x[i] = i < count ? term(at[i * inner_]) : T(-0.0);
    ONEFOLD_UNROLL
    for (int i = 0; i < Count; ++i) sum += x[i];
    return sum;
  }

  // Adds the sums of the groups of the next stage, those of one half: lanes write the other.
  ONEFOLD_DEVICE void close() {
    const narrow_place at = close_;
    const bool ends = advance(close_);
    const int rows = shape_.units > 1 ? int(a_.n) : rows_at(at);
    const int groups = (rows + rows_each - 1) / rows_each;
    const std::int64_t outer = at.outer + group_;
    if (group_ >= shape_.units || outer >= a_.outer) return;
    ONEFOLD_UNROLL
    for (int j = 0; j < columns; ++j) {
      const int column = column_ + j * lanes;
      if (column < inner_) close_column(totals_[j], group_ * groups * inner_ + column, groups);
      if (column < inner_ && ends) write(totals_[j], outer * inner_ + column, at.band);
    }
  }
  ONEFOLD_DEVICE void close_column(T& total, int at, int groups) const {
    constexpr int some = 16;
    const auto term = [](T x) { return x; };
    const T* from = sums_ + (side_ ^ threads) + at;
    ONEFOLD_ROLLED
    for (; groups >= some; groups -= some, from += some * inner_)
      total = added<some>(from, some, total, term);
    if (groups > 0) total = added<some>(from, groups, total, term);
  }
  ONEFOLD_DEVICE void write(T& total, std::int64_t k, std::int64_t band) const {
    if (a_.parts == 1)
      write_fast(total, a_.form, a_.out, k);
    else
      a_.partials[k * a_.parts + band] = word_of_number(total);
    total = T(-0.0);
  }

  const many_arguments& a_;
  banded_shape shape_;
  std::int64_t* stages_;
  T* sums_;
  const T* from_ = nullptr;
  int inner_, group_, column_, to_[copies], put_ = 0, take_ = 0, side_ = 0;
  narrow_place ask_ = {}, close_ = {}, step_ = {};
  T totals_[columns];
};

}  // namespace onefold::cuda
