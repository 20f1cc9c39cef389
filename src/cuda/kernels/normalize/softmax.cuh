// SPDX-License-Identifier: Apache-2.0
#pragma once
// softmax and log_softmax of rows (docs/numerics/softmax.md). A row is read once where the shared
// memory of a block or of a cluster can hold it, and y is written once.
// docs/performance/gpu-normalize.md has the counts.

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

/// The rows of a block or a cluster. All but the launch is found again where it is needed: it would
/// take registers of the hot loops.
template <class T, softmax_way Way, bool Logarithm>
class softmax_task {
 public:
  ONEFOLD_DEVICE explicit softmax_task(const softmax_launch& a) : a_(a) {}

  ONEFOLD_DEVICE void run() const {
    const std::int64_t rows = rows_of_block(a_);
    std::int64_t k = blockIdx.x / a_.cluster * rows + own_row();
    const table_share tables;
    begin_row(k);
    lanes().begin();
    tables.write();
    ONEFOLD_ROLLED
    for (unsigned round = 0; k - own_row() < a_.rows.rows; k += step(), ++round) take(k, round);
  }

 private:
  static constexpr bool staged = Way == softmax_way::staged;
  using index = std::conditional_t<staged, int, std::int64_t>;
  using row = vector_row<T, index>;
  using rounded_vector = typename row::rounded_vector;
  using items_of = row_items<T>;
  static constexpr int items = items_of::items;

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
  ONEFOLD_DEVICE row row_at(std::int64_t k) const {
    return {static_cast<const T*>(a_.rows.x) + k * a_.rows.stride,
            static_cast<T*>(a_.rows.y) + k * a_.rows.n, k < a_.rows.rows ? index(a_.rows.n) : 0};
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

  ONEFOLD_DEVICE void take(std::int64_t k, unsigned round) const {
    const row own = row_at(k);
    if constexpr (staged) wait_for_copies<0>();
    const row_sums part = sums_of(own), sums = lanes().joined(part, round);
    const row_total total = total_of(k, sums);
    if constexpr (Logarithm) {
      const logarithms less = logarithms_of(total);
      const near_zero near = near_zero_of(k, sums, total, less);
      const bool has_near = near.there && part.largest == near.x && own.writes_vectors();
      const index place = has_near ? place_of(own, near.x) : index(-1);
      write(own, k, total, less, near);
      if (place >= 0) own.write(place, near.y);
    } else {
      const double factor = detail::factors_of(total.value).top;
      write(own, k, total, quotients{float(total.value.band * detail::band_width), factor}, {});
    }
  }

  // take(vector) of each of this lane, which copied it and waited for it; a row's first and last
  // ones may be others' in part.
  template <class Take>
  ONEFOLD_DEVICE void for_each_vector(const row& own, const std::int64_t* staged_at,
                                      const Take& take_vector) const {
    const index count = own.vectors(), step = index(a_.lanes);
    const unsigned apart = stage_step();
    ONEFOLD_UNROLL_BY_2
    for (index at = index(lane()); at < count; at += step, staged_at += apart)
      take_vector(vector_of(own, at, staged_at));
  }
  ONEFOLD_DEVICE static uint4 vector_of(const row& own, index at, const std::int64_t* staged_at) {
    if constexpr (staged)
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
  // Row k comes to its stage, which this lane has read.
  ONEFOLD_DEVICE void begin_row(std::int64_t k) const {
    if constexpr (!staged) return;
    const row row = row_at(k);
    for_whole_vectors(row, stage(),
                      [&](index at, std::int64_t* to) { begin_copy(to, row.vector_at(at)); });
    end_copies();
    for_edges(row, stage(), [&](index at, std::int64_t* to) {
      const uint4 edge = row.load_edge(at);
      to[0] = std::int64_t(std::uint64_t(edge.y) << 32 | edge.x);
      to[1] = std::int64_t(std::uint64_t(edge.w) << 32 | edge.z);
    });
  }

  ONEFOLD_DEVICE row_sums sums_of(const row& own) const {
    double sum = 0;
    largest_of_vectors<T> largest;
    for_each_vector(own, stage(), [&](const uint4& x) {
      largest.join(x);
      float value[items];
      items_of::values(vector_within_reach<T>(x), value);
      double some = exponential_of(value[0]);
      ONEFOLD_UNROLL
      for (int i = 1; i < items; ++i) some += exponential_of(value[i]);
      sum += some;
    });
    return {sum, largest.value()};
  }

  ONEFOLD_DEVICE row_total total_of(std::int64_t k, const row_sums& sums) const {
    const row_total made = plain_total<T>(sums, a_.rows.n, a_.lanes);
    const bool open = k < a_.rows.rows && (made.value.sum == 0 || a_.whole != nullptr);
    return some_row(open) ? total_again(a_, k, made, sums.largest, open) : made;
  }
  ONEFOLD_COLD static row_total total_again(const softmax_launch& a, std::int64_t k, row_total made,
                                            float largest, bool open) {
    if (a.whole != nullptr) return open ? whole_total(a.whole[k], largest) : made;
    const softmax_task task(a);
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
    for_each_vector(row_at(k), stage(), [&](const uint4& x) {
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

  // The element that has more than half of the sum, if there is one: the largest; and its result.
  struct near_zero {
    bool there = false;
    float x = 0, y = 0;
  };
  // What results are made with.
  struct quotients {
    float middle;
    double factor;
  };
  using logarithms = detail::split_logarithm<detail::softmax_step<T>>;
  ONEFOLD_DEVICE static logarithms logarithms_of(const row_total& total) {
    return detail::split_of<T>(detail::logarithm_of(
        {total.value.sum, 0, 0}, total.value.band * detail::band_width, tables().nodes));
  }
  ONEFOLD_DEVICE static float result_of(float x, const quotients& by) {
    return float(exponential_of(within_reach(x - by.middle)) * by.factor);
  }
  ONEFOLD_DEVICE static float result_of(float x, const logarithms& less) {
    return float(detail::less_logarithm(x, less));
  }
  template <class Results>
  ONEFOLD_DEVICE static rounded_vector results_of(const uint4& x, const Results& results) {
    float y[items];
    items_of::values(x, y);
    ONEFOLD_UNROLL
    for (int i = 0; i < items; ++i) y[i] = result_of(y[i], results);
    return items_of::template packed<false>(y);
  }

  // Staged vectors are replaced by those of the next row as soon as they have been read.
  template <class Results>
  ONEFOLD_DEVICE void write(const row& own, std::int64_t k, const row_total& total,
                            const Results& results, const near_zero& near) const {
    const row next = row_at(k + step());
    const bool by_vectors =
        total.value.sum > 0 && (Logarithm || total.one_band) && own.writes_vectors();
    if (by_vectors && !own.has_edges() && !next.has_edges()) {
      for_whole_vectors(own, stage(), [&](index at, std::int64_t* staged_at) {
        write_once(own.results_at(at), results_of(vector_of(own, at, staged_at), results));
        if constexpr (staged)
          if (next.size() > 0) begin_copy(staged_at, next.vector_at(at));
      });
      if constexpr (staged) end_copies();
      return;
    }
    if (by_vectors)
      write_ragged(own, results);
    else
      write_one_by_one(a_, k, total, near);
    begin_row(k + step());
  }
  template <class Results>
  ONEFOLD_DEVICE void write_ragged(const row& own, const Results& results) const {
    for_whole_vectors(own, stage(), [&](index at, const std::int64_t* staged_at) {
      write_once(own.results_at(at), results_of(vector_of(own, at, staged_at), results));
    });
    for_edges(own, stage(), [&](index at, const std::int64_t* staged_at) {
      own.write_edge(at, results_of(vector_of(own, at, staged_at), results));
    });
  }
  // Rows of NaNs, of quotients of elements of several bands, and of results whose places are no
  // vectors'.
  ONEFOLD_COLD static void write_one_by_one(const softmax_launch& a, std::int64_t k,
                                            row_total total, near_zero near) {
    const softmax_task task(a);
    const row own = task.row_at(k);
    const detail::softmax_factors factors = detail::factors_of(total.value);
    const logarithms less = logarithms_of(total);
    ONEFOLD_ROLLED
    for (index i = index(task.lane()); i < own.size(); i += index(a.lanes)) {
      const float x = own.element(i);
      const auto [band, rest] = detail::banded_of(x);
      float y = NAN;
      if (total.value.sum > 0 && Logarithm) {
        y = near.there && x == near.x ? near.y : result_of(x, less);
      } else if (total.value.sum > 0) {
        double quotient = 0;
        // From 2^53 on a band less 1 is itself, as a double.
        if (double(band) == total.value.band)
          quotient = exponential_of(rest) * factors.top;
        else if (double(band) == total.value.band - 1)
          quotient = exponential_of(rest) * factors.below;
        y = float(quotient);
      }
      own.write(i, y);
    }
  }

  ONEFOLD_DEVICE near_zero near_zero_of(std::int64_t k, const row_sums& sums,
                                        const row_total& total, const logarithms& less) const {
    const float x = sums.largest;
    const bool there = total.value.sum > 0 && detail::near_zero(detail::less_logarithm(x, less)) &&
                       double(detail::banded_of(x).band) == total.value.band;
    if (!some_row(there)) return {};
    const double exponential = exponential_of(detail::banded_of(there ? x : 0.0f).rest);
    double others = 0;
    if (total.plain > 0) {
      const double rest = total.plain - exponential;
      const double error =
          detail::plain_error(total.plain, plain_depth<T>(a_.rows.n, a_.lanes) + 2);
      others = detail::decided_between(rest - error, rest + error);
    }
    const bool open = there && !(others > 0);
    if (some_row(open)) {
      const double again = others_again(a_, k, total, open ? x : INFINITY, exponential);
      if (open) others = again;
    }
    return {there, x, float(detail::logarithm_near_zero(exponential, others))};
  }
  // x: that element; +Inf of rows that are known.
  ONEFOLD_COLD static double others_again(const softmax_launch& a, std::int64_t k, row_total total,
                                          float x, double exponential) {
    const softmax_task task(a);
    double made = 0;
    if (a.whole == nullptr) made = task.double_word_total(k, total.value.band, x);
    const bool ambiguous = x < INFINITY && (made == 0 || !total.one_band);
    if (!task.some_row(ambiguous)) return made;
    const double exact = task.exact_total_of(k, exponential, ambiguous).sum;
    return ambiguous ? exact : made;
  }
  // Of an element that this lane has.
  ONEFOLD_DEVICE index place_of(const row& own, float x) const {
    index place = -1;
    const std::int64_t* staged_at = stage();
    ONEFOLD_ROLLED
    for (index at = index(lane()); at < own.vectors(); at += index(a_.lanes)) {
      float value[items];
      items_of::values(vector_of(own, at, staged_at), value);
      ONEFOLD_UNROLL
      for (int i = 0; i < items; ++i)
        if (value[i] == x) place = own.first_of(at) + i;
      staged_at += stage_step();
    }
    return place;
  }

  const softmax_launch& a_;
};

/// Shape:  a launch of softmax_launch_of, with dynamic shared memory of softmax_shared_bytes.
/// Error:  y as docs/numerics/softmax.md defines it.
/// Order:  none: the same bits for every batch and grid.
template <class T, softmax_way Way, bool Logarithm>
__global__ void __launch_bounds__(softmax_lanes, softmax_blocks)
    softmax_kernel(ONEFOLD_KERNEL_ARGUMENT softmax_launch a) {
  softmax_task<T, Way, Logarithm>(a).run();
}

using softmax_start = void (*)(softmax_launch);
template <class T, bool Logarithm>
softmax_start softmax_kernel_of(softmax_way way) {
  return way == softmax_way::staged ? softmax_kernel<T, softmax_way::staged, Logarithm>
                                    : softmax_kernel<T, softmax_way::streamed, Logarithm>;
}
template <class T>
softmax_start softmax_kernel_of(const softmax_launch& launch) {
  return launch.rows.logarithm ? softmax_kernel_of<T, true>(launch.way)
                               : softmax_kernel_of<T, false>(launch.way);
}
inline softmax_start softmax_kernel_of(const softmax_launch& launch) {
  return launch.rows.type == dtype::f16    ? softmax_kernel_of<f16>(launch)
         : launch.rows.type == dtype::bf16 ? softmax_kernel_of<bf16>(launch)
                                           : softmax_kernel_of<float>(launch);
}

}  // namespace onefold::cuda
