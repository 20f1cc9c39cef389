// SPDX-License-Identifier: Apache-2.0
#pragma once
// How the lanes of a row of softmax or cross_entropy read it, and its total: a row is read once
// where the shared memory of a block or of a cluster can hold it.

#include "cuda/kernels/normalize/softmax_launch.hpp"
#include "cuda/kernels/normalize/softmax_total.cuh"
#include "cuda/kernels/normalize/vector_limits.cuh"
#include "cuda/kernels/normalize/vector_row.cuh"
#include "cuda/primitives/copy.cuh"

namespace onefold::cuda {

/// Words of the dynamic shared memory before the stages, a multiple of 16 bytes: for the exact
/// fallback of each warp with rows of its own.
ONEFOLD_HOST_DEVICE constexpr unsigned softmax_words(const softmax_launch& launch) {
  const unsigned spaces = launch.lanes > warp_lanes ? 1 : launch.threads / warp_lanes;
  return (spaces * exponential_space_words + 1) / 2 * 2;
}
/// Words of a stage.
ONEFOLD_HOST_DEVICE constexpr unsigned softmax_stage_words(const softmax_launch& launch) {
  return 2 * rows_of_block(launch) * unsigned(launch.pitch);
}
inline std::size_t softmax_shared_bytes(const softmax_launch& launch) {
  return (softmax_words(launch) + std::size_t(softmax_stage_words(launch))) * 8;
}

/// The total of a row of which x has a part, with the largest element `largest`. From such a sum on
/// elements of lower bands are 0 in the result.
ONEFOLD_DEVICE row_total whole_total(const softmax_whole& row, float largest) {
  const bool no_higher_band = double(detail::banded_of(largest).band) <= row.total.band;
  return {row.total, 0, row.total.sum > least_plain_sum && no_higher_band};
}

/// What a lane adds of its vectors.
template <class T>
class lane_sums {
 public:
  ONEFOLD_DEVICE void add(const uint4& x) {
    constexpr int items = row_items<T>::items;
    largest_.join(x);
    float value[items];
    row_items<T>::values(vector_within_reach<T>(x), value);
    double some = exponential_of(value[0]);
    ONEFOLD_UNROLL
    for (int i = 1; i < items; ++i) some += exponential_of(value[i]);
    sum_ += some;
  }
  ONEFOLD_DEVICE row_sums value() const { return {sum_, largest_.value()}; }

 private:
  double sum_ = 0;
  largest_of_vectors<T> largest_;
};

/// The rows of a block or a cluster. All but the launch is found again where it is needed: it would
/// take registers of the hot loops. Launch: a softmax_launch, which says what rows are read, where
/// results are written, and whether a row stays in its stage until the next one is begun.
template <class T, softmax_way Way, class Launch>
class row_exponentials {
 protected:
  static constexpr bool staged = Way == softmax_way::staged;
  using index = std::conditional_t<staged, int, std::int64_t>;
  using row = vector_row<T, index>;
  using rounded_vector = typename row::rounded_vector;
  using items_of = row_items<T>;
  static constexpr int items = items_of::items;

  ONEFOLD_DEVICE explicit row_exponentials(const Launch& a) : a_(a) {}

  ONEFOLD_DEVICE bool is_warps() const { return a_.lanes > warp_lanes; }
  // Of a row.
  ONEFOLD_DEVICE unsigned lane() const {
    if (!is_warps()) return threadIdx.x & (a_.lanes - 1);
    return threadIdx.x + (a_.cluster > 1 ? cluster_rank() * blockDim.x : 0);
  }
  ONEFOLD_DEVICE row_lanes_of lanes() const { return {a_.lanes, lane(), a_.cluster}; }
  // Of the rows that share a block.
  ONEFOLD_DEVICE int own_row() const { return is_warps() ? 0 : int(threadIdx.x / a_.lanes); }
  // No elements past the last row.
  ONEFOLD_DEVICE row row_at(std::int64_t k) const { return row_at(k, a_.reads(k)); }
  ONEFOLD_DEVICE row row_at(std::int64_t k, bool reads) const {
    return {static_cast<const T*>(a_.rows.x) + k * a_.rows.stride, a_.template results_of<T>(k),
            reads ? index(a_.rows.n) : 0};
  }
  // Shared memory of the warp, of exponential_space_words.
  ONEFOLD_DEVICE std::int64_t* words() const {
    ONEFOLD_DYNAMIC_SHARED(std::int64_t, shared);
    return shared + (is_warps() ? 0 : threadIdx.x / warp_lanes * exponential_space_words);
  }
  // From one row of a lane to its next one.
  ONEFOLD_DEVICE unsigned step() const { return gridDim.x / a_.cluster * rows_of_block(a_); }
  // Where this lane's first vector is staged, and words from one to the next.
  ONEFOLD_DEVICE std::int64_t* stage() const {
    ONEFOLD_DYNAMIC_SHARED(std::int64_t, shared);
    const unsigned first = is_warps() ? threadIdx.x : unsigned(own_row() * a_.pitch) + lane();
    return shared + softmax_words(a_) + 2 * first;
  }
  ONEFOLD_DEVICE unsigned stage_step() const { return 2 * min(a_.lanes, blockDim.x); }
  // Of a row of whole warps all lanes know the same.
  ONEFOLD_DEVICE bool some_row(bool own) const { return is_warps() ? own : any_lane(own); }
  ONEFOLD_DEVICE const std::int64_t* given(std::int64_t k) const {
    return a_.whole != nullptr ? a_.whole[k].words : nullptr;
  }

  // take(vector, its number) of each of this lane, which copied it and waited for it; a row's first
  // and last ones may be others' in part. Staged: or read from memory.
  template <bool Staged = staged, class Take>
  ONEFOLD_DEVICE void for_each_vector(const row& own, const std::int64_t* staged_at,
                                      const Take& take_vector) const {
    const index count = own.vectors(), step = index(a_.lanes);
    const unsigned apart = stage_step();
    ONEFOLD_UNROLL_BY_2
    for (index at = index(lane()); at < count; at += step, staged_at += apart)
      take_vector(vector_of<Staged>(own, at, staged_at), at);
  }
  // The same of those in memory, without a question for each.
  template <class Take>
  ONEFOLD_DEVICE void for_each_in_memory(const row& own, const Take& take_vector) const {
    const index end = own.end(), step = index(a_.lanes);
    index at = index(lane());
    if (at < own.begin()) {
      if (own.size() > 0) take_vector(own.load_edge(at), at);
      at += step;
    }
    ONEFOLD_UNROLL_BY_2
    for (; at < end; at += step) take_vector(load_vector(own.vector_at(at)), at);
    if (at < own.vectors()) take_vector(own.load_edge(at), at);
  }
  template <bool Staged = staged>
  ONEFOLD_DEVICE static uint4 vector_of(const row& own, index at, const std::int64_t* staged_at) {
    if constexpr (Staged)
      return load_copied<T>(staged_at);
    else
      return at >= own.begin() && at < own.end() ? load_vector(own.vector_at(at))
                                                 : own.load_edge(at);
  }
  // take(number, where it is staged) of those of which all elements are the row's.
  template <class Take>
  ONEFOLD_DEVICE void for_whole_vectors(const row& own, std::int64_t* staged_at,
                                        const Take& take_vector) const {
    const index end = own.end(), step = index(a_.lanes);
    const unsigned apart = stage_step();
    index at = index(lane());
    if (at < own.begin()) at += step, staged_at += apart;
    ONEFOLD_UNROLL_BY_2
    for (; at < end; at += step, staged_at += apart) take_vector(at, staged_at);
  }
  // The same of the others.
  template <class Take>
  ONEFOLD_DEVICE void for_edges(const row& own, std::int64_t* staged_at,
                                const Take& take_vector) const {
    if (!own.has_edges()) return;
    const index last = own.vectors() - 1, step = index(a_.lanes);
    if (lane() == 0 && own.begin() > 0 && last >= 0) take_vector(index(0), staged_at);
    if (last >= own.end() && (last > 0 || own.begin() == 0) && unsigned(last % step) == lane())
      take_vector(last, staged_at + last / step * index(stage_step()));
  }
  // A row comes to its stage, which this lane has read.
  ONEFOLD_DEVICE void begin_row(std::int64_t k) const { begin_row(row_at(k)); }
  ONEFOLD_DEVICE void begin_row(const row& own) const {
    if constexpr (!staged) return;
    for_whole_vectors(own, stage(),
                      [&](index at, std::int64_t* to) { begin_copy(to, own.vector_at(at)); });
    end_copies();
    for_edges(own, stage(), [&](index at, std::int64_t* to) {
      const uint4 edge = own.load_edge(at);
      to[0] = std::int64_t(std::uint64_t(edge.y) << 32 | edge.x);
      to[1] = std::int64_t(std::uint64_t(edge.w) << 32 | edge.z);
    });
  }

  ONEFOLD_DEVICE row_sums sums_of(const row& own) const {
    lane_sums<T> sums;
    for_each_vector(own, stage(), [&](const uint4& x, index) { sums.add(x); });
    return sums.value();
  }

  // more: additions to the sum of the lanes.
  ONEFOLD_DEVICE row_total total_of(std::int64_t k, const row_sums& sums, int more = 0) const {
    const row_total made = plain_total<T>(sums, a_.rows.n, a_.lanes, more);
    const bool open = k < a_.rows.rows && (made.value.sum == 0 || a_.whole != nullptr);
    return some_row(open) ? total_again(a_, k, made, sums.largest, open) : made;
  }
  ONEFOLD_COLD static row_total total_again(const Launch& a, std::int64_t k, row_total made,
                                            float largest, bool open) {
    if (a.whole != nullptr) return open ? whole_total(a.whole[k], largest) : made;
    const row_exponentials task(a);
    const double sum = task.double_word_total(k, made.value.band, INFINITY);
    if (open) made.value.sum = sum;
    const bool ambiguous = open && sum == 0;
    if (!task.some_row(ambiguous)) return made;
    const detail::softmax_total exact = task.exact_total_of(k, 0, ambiguous);
    return ambiguous ? row_total{exact, 0, false} : made;
  }
  ONEFOLD_DEVICE detail::softmax_total exact_total_of(std::int64_t k, double without,
                                                      bool open) const {
    const row own = row_at(k);
    return exact_totals(own.elements(), own.size(), lanes(), given(k), without, open, words());
  }
  // Of all elements but `without`, of which there is one.
  ONEFOLD_DEVICE double double_word_total(std::int64_t k, double band, float without) const {
    const auto middle = float(band * detail::band_width);
    double_exponentials all;
    for_each_vector<staged && Launch::keeps_rows>(row_at(k), stage(), [&](const uint4& x, index) {
      float value[items];
      items_of::values(x, value);
      ONEFOLD_UNROLL
      for (int i = 0; i < items; ++i) {
        const float d = value[i] == without ? -INFINITY : value[i] - middle;
        all.add(exponential_of(within_reach(d)), d);
      }
    });
    return decided_double_words(lanes().joined_rarely(all), a_.rows.n, a_.lanes);
  }

  // x: that element; +Inf of rows that are known.
  ONEFOLD_COLD static double others_again(const Launch& a, std::int64_t k, row_total total, float x,
                                          double exponential) {
    const row_exponentials task(a);
    double made = 0;
    if (a.whole == nullptr) made = task.double_word_total(k, total.value.band, x);
    const bool ambiguous = x < INFINITY && (made == 0 || !total.one_band);
    if (!task.some_row(ambiguous)) return made;
    const double exact = task.exact_total_of(k, exponential, ambiguous).sum;
    return ambiguous ? exact : made;
  }

  const Launch& a_;
};

}  // namespace onefold::cuda
