// SPDX-License-Identifier: Apache-2.0
#pragma once
// The losses of class indices (docs/numerics/cross-entropy.md): softmax's reading of a row, without
// its results. The target's exponential is added last, so that the sum of all others is known.
// docs/performance/gpu-normalize.md has the counts.

#include "cuda/kernels/normalize/exponentials/class_launch.hpp"
#include "cuda/kernels/normalize/exponentials/row_exponentials.cuh"

namespace onefold::cuda {

template <class T, softmax_way Way>
class loss_task : row_exponentials<T, Way, loss_launch> {
 public:
  ONEFOLD_DEVICE explicit loss_task(const loss_launch& a) : base(a) {}

  ONEFOLD_DEVICE void run() const {
    std::int64_t k = std::int64_t(blockIdx.x / a_.cluster) * rows_of_block(a_) + own_row();
    const table_share tables;
    target_pair targets = {target_of(k), target_of(k + step())};
    begin_row(row_at(k, a_.classes.has_class(targets.own)));
    lanes().begin();
    tables.write();
    ONEFOLD_ROLLED
    for (unsigned round = 0; k - own_row() < a_.rows.rows; k += step(), ++round) {
      const std::int64_t after = target_of(k + 2 * std::int64_t(step()));
      take(k, round, targets);
      targets = {targets.next, after};
    }
  }

 private:
  using base = row_exponentials<T, Way, loss_launch>;
  using base::a_, base::begin_row, base::for_each_in_memory, base::for_each_vector,
      base::for_whole_vectors, base::items, base::lane, base::lanes, base::others_again,
      base::own_row, base::row_at, base::some_row, base::stage, base::staged, base::step,
      base::total_of, base::vector_of;
  using typename base::index;
  using typename base::row;

  // Of a row and of the lanes' next one. They are loaded a row before they are needed.
  struct target_pair {
    std::int64_t own, next;
  };
  // Past the last row one that is ignored.
  ONEFOLD_DEVICE std::int64_t target_of(std::int64_t k) const {
    return k < a_.rows.rows ? a_.classes.targets[k] : a_.classes.ignore_index;
  }

  ONEFOLD_DEVICE void take(std::int64_t k, unsigned round, const target_pair& targets) const {
    const bool reads = a_.classes.has_class(targets.own);
    const row own = row_at(k, reads), next = row_at(k + step(), a_.classes.has_class(targets.next));
    const float x = reads ? own.element(index(targets.own)) : 0.0f;
    if constexpr (staged) wait_for_copies<0>();
    const row_sums others = lanes().joined(others_of(own, next, index(targets.own)), round);
    const row_sums sums = {others.sum + exponential_of(within_reach(x)),
                           reads ? greater_or_nan(others.largest, x) : -INFINITY};
    const row_total total = total_of(k, sums, 1);
    const bool numbers = total.value.sum > 0;
    const double exponential = exponential_of(detail::banded_of(numbers ? x : 0.0f).rest);
    // Others have no logarithm near zero.
    const bool has_most = numbers && x == sums.largest && exponential > total.value.sum / 2;
    double rest = 0;
    if (has_most && total.plain > 0 && others.sum > least_plain_sum)
      rest = detail::decided_sum(others.sum, plain_depth<T>(a_.rows.n, a_.lanes));
    const bool open = has_most && !(rest > 0);
    if (some_row(open)) {
      const double again = others_again(a_, k, total, open ? x : INFINITY, exponential);
      if (open) rest = again;
    }
    if (lane() == 0 && k < a_.rows.rows) write(k, x, total.value, has_most, exponential, rest);
  }

  // What a lane adds of all elements but the target; the next row comes to the stage.
  ONEFOLD_DEVICE row_sums others_of(const row& own, const row& next, index target) const {
    const index vector = own.size() > 0 ? own.vector_with(target) : index(-1);
    const int item = own.item_with(target);
    lane_sums<T> sums;
    const auto add = [&](uint4 x, index at) {
      if (at == vector) x = without_item<T>(x, item);
      sums.add(x);
    };
    if constexpr (!staged) {
      for_each_in_memory(own, add);
      return sums.value();
    }
    if (own.size() > 0 && !own.has_edges() && !next.has_edges()) {
      for_whole_vectors(own, stage(), [&](index at, std::int64_t* staged_at) {
        add(vector_of(own, at, staged_at), at);
        if (next.size() > 0) begin_copy(staged_at, next.vector_at(at));
      });
      end_copies();
    } else {
      for_each_vector(own, stage(), add);
      begin_row(next);
    }
    return sums.value();
  }

  // has_most: the sum of all other exponentials is `rest`.
  ONEFOLD_DEVICE void write(std::int64_t k, float x, const detail::softmax_total& total,
                            bool has_most, double exponential, double rest) const {
    detail::class_total made = {{0, 0}, 0};
    float loss = 0;
    if (total.sum > 0) {
      const auto logarithm = detail::split_of<T>(
          detail::logarithm_of({total.sum, 0, 0}, total.band * detail::band_width, tables().nodes));
      const bool near = has_most && detail::near_zero(detail::less_logarithm(x, logarithm));
      const detail::class_loss one =
          near ? detail::class_loss_near_zero(exponential, rest, total)
               : detail::class_loss_of(
                     x, block_quotient_of(x, total.band, detail::factors_of(total)), logarithm);
      loss = one.loss, made = {total, one.slope};
    } else if (a_.classes.targets[k] != a_.classes.ignore_index) {
      constexpr std::uint64_t nan = detail::float_format<double>::quiet_nan;
      loss = detail::from_bits<float>(detail::float_format<float>::quiet_nan);
      made = {{0, detail::from_bits<double>(nan)}, detail::from_bits<double>(nan)};
    }
    a_.classes.losses[k] = loss;
    if (a_.classes.totals == nullptr) return;
    double* const to = a_.classes.totals + 3 * k;
    to[0] = made.row.band, to[1] = made.row.sum, to[2] = made.slope;
  }
};

/// Shape:  a launch of loss_launch_of, with dynamic shared memory of softmax_shared_bytes.
/// Error:  as docs/numerics/cross-entropy.md defines it.
/// Order:  none: the same bits for every batch and grid.
template <class T, softmax_way Way>
__global__ void __launch_bounds__(softmax_lanes, loss_blocks(Way))
    loss_kernel(ONEFOLD_KERNEL_ARGUMENT loss_launch a) {
  loss_task<T, Way>(a).run();
}

using loss_start = void (*)(loss_launch);
template <class T>
loss_start loss_kernel_of(softmax_way way) {
  return way == softmax_way::staged ? loss_kernel<T, softmax_way::staged>
                                    : loss_kernel<T, softmax_way::streamed>;
}
inline loss_start loss_kernel_of(const loss_launch& launch) {
  return launch.rows.type == dtype::f16    ? loss_kernel_of<f16>(launch.way)
         : launch.rows.type == dtype::bf16 ? loss_kernel_of<bf16>(launch.way)
                                           : loss_kernel_of<float>(launch.way);
}

}  // namespace onefold::cuda
