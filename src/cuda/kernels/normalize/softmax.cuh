// SPDX-License-Identifier: Apache-2.0
#pragma once
// softmax and log_softmax of rows (docs/numerics/softmax.md). A row is read once where the shared
// memory of a block or of a cluster can hold it, and y is written once.
// docs/performance/gpu-normalize.md has the counts.

#include "cuda/kernels/normalize/exponentials/row_exponentials.cuh"

namespace onefold::cuda {

template <class T, softmax_way Way, bool Logarithm>
class softmax_task : row_exponentials<T, Way, softmax_launch> {
 public:
  ONEFOLD_DEVICE explicit softmax_task(const softmax_launch& a) : base(a) {}

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
  using base = row_exponentials<T, Way, softmax_launch>;
  using base::a_, base::begin_row, base::for_edges, base::for_whole_vectors, base::items,
      base::lane, base::lanes, base::others_again, base::own_row, base::row_at, base::some_row,
      base::stage, base::stage_step, base::staged, base::step, base::sums_of, base::total_of,
      base::vector_of;
  using typename base::index;
  using typename base::items_of;
  using typename base::rounded_vector;
  using typename base::row;

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
      float y = NAN;
      if (total.value.sum > 0 && Logarithm) {
        y = near.there && x == near.x ? near.y : result_of(x, less);
      } else if (total.value.sum > 0) {
        y = float(block_quotient_of(x, total.value.band, factors));
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
