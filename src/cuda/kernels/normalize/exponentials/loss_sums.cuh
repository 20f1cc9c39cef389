// SPDX-License-Identifier: Apache-2.0
#pragma once
// Weights the losses of rows and adds them up, and finds the scales of the backward pass. Sums are
// doubles with an interval of their errors, which decides nearly all; a warp adds the others
// exactly. A block of few warps is done sooner: it joins them one after another.

#include "cuda/kernels/normalize/exponentials/class_launch.hpp"
#include "cuda/kernels/whole/one_launch.cuh"
#include "cuda/rounding/fallback.cuh"

namespace onefold::cuda {

ONEFOLD_DEVICE double floating_at(const void* numbers, dtype type, std::int64_t i) {
  switch (type) {
  case dtype::f16:
    return double_of<f16>(bits_at(static_cast<const f16*>(numbers) + i));
  case dtype::bf16:
    return double_of<bf16>(bits_at(static_cast<const bf16*>(numbers) + i));
  case dtype::f32:
    return static_cast<const float*>(numbers)[i];
  default:
    return static_cast<const double*>(numbers)[i];
  }
}

/// That of the class of a row; 0 of a row that is ignored.
ONEFOLD_DEVICE double weight_of(const class_weights& rows, std::int64_t target) {
  if (target == rows.ignore_index) return 0;
  if (rows.weights == nullptr) return 1;
  return floating_at(rows.weights, rows.type, rows.nearest_class(target));
}
ONEFOLD_DEVICE double term_of(const class_weights& rows, double loss, double weight) {
  return rows.weights == nullptr ? loss : loss * weight;
}

/// Rounded once; NaNs become the canonical one.
ONEFOLD_DEVICE void write_loss(double result, void* to, dtype type, std::int64_t k) {
  switch (type) {
  case dtype::f16:
    return write_bits<f16>(to, k, rounded_bits<f16>(result));
  case dtype::bf16:
    return write_bits<bf16>(to, k, rounded_bits<bf16>(result));
  case dtype::f32:
    return write_bits<float>(to, k, rounded_bits<float>(result));
  default:
    const bool is_nan = result != result;
    return write_bits<double>(
        to, k, is_nan ? detail::float_format<double>::quiet_nan : detail::to_bits(result));
  }
}

/// The sums of terms and of weights. Without weights the second one is a count, which is exact.
struct loss_fold {
  static constexpr int parts = pair_sum::parts, partial_words = 2 * parts;
  bool weighted = true;
  pair_sum sums[2]{};

  ONEFOLD_DEVICE void store(std::int64_t* to) const {
    write_sum(sums[0], to, 1), write_sum(sums[1], to + parts, 1);
  }
  ONEFOLD_DEVICE static void clear(std::int64_t* to) { loss_fold().store(to); }
  ONEFOLD_DEVICE void merge(std::int64_t* into, const std::int64_t* from) const {
    const int end = weighted ? partial_words : parts;
    ONEFOLD_ROLLED
    for (int i = 0; i < end; i += parts) {
      auto sum = read_sum<pair_sum>(into + i, 1);
      sum.join(read_sum<pair_sum>(from + i, 1));
      write_sum(sum, into + i, 1);
    }
    if (!weighted)
      into[parts] = __double_as_longlong(__longlong_as_double(into[parts]) +
                                         __longlong_as_double(from[parts]));
  }
};

/// Loads of a thread that are under way at once.
inline constexpr int loss_loads = 4;

inline constexpr int loss_words = terms<accumulator::total, double>::words;

/// The exact sum of the terms or the weights, rounded once, by a warp. words: loss_words and one of
/// shared memory.
static ONEFOLD_COLD double exact_loss_sum(const loss_sums& rows, bool of_weights,
                                          std::int64_t* words) {
  constexpr accumulator total = accumulator::total;
  using fallback = exact_fallback<total, double>;
  const warp_digits<terms<total, double>::limbs, loss_words> digits(words);
  digits.clear();
  __syncwarp();
  ONEFOLD_ROLLED
  for (std::int64_t base = 0; base < rows.rows; base += fallback::step) {
    typename fallback::bits a[fallback::per_lane], b[fallback::per_lane];
    ONEFOLD_UNROLL
    for (int i = 0; i < fallback::per_lane; ++i) {
      const std::int64_t row = base + i * std::int64_t(warp_lanes) + lane_index();
      a[i] = b[i] = fallback::traits::format::sign_bit;
      if (row >= rows.rows) continue;
      const double weight = weight_of(rows, rows.targets[row]);
      a[i] = detail::to_bits(of_weights ? weight : term_of(rows, rows.losses[row], weight));
    }
    fallback(nullptr, nullptr, words).add_loaded(a, b);
  }
  __syncwarp();
  if (lane_index() == 0)
    finish_digits<total, double>(words, rows.rows, answer_form::kind::sum, dtype::f64,
                                 words + loss_words, 0);
  __syncwarp();
  const auto bits = std::uint64_t(words[loss_words]);
  __syncwarp();
  return detail::from_bits<double>(bits);
}

/// A sum rounded once, by a warp, of which lane 0 has it.
ONEFOLD_DEVICE double rounded_loss_sum(const loss_sums& rows, const std::int64_t* partial,
                                       bool of_weights, std::int64_t* words) {
  if (rows.rows == 0) return 0;
  const auto sum = read_sum<pair_sum>(partial, 1);
  std::uint64_t bits = 0;
  const bool certified = ends_meet(sum.s, sum.u, sum.minus_d, bits);
  if (!any_lane(lane_index() == 0 && !certified)) return detail::from_bits<double>(bits);
  return exact_loss_sum(rows, of_weights, words);
}

/// Shape:  blocks of loss_sum_lanes, loss_sum_blocks of them.
/// Error:  as reduce_losses says.
/// Order:  none: the same bits for every grid.
static __global__ void __launch_bounds__(loss_sum_lanes)
    loss_sum_kernel(ONEFOLD_KERNEL_ARGUMENT loss_sum_launch a) {
  constexpr int parts = loss_fold::parts;
  __shared__ std::int64_t warps[loss_sum_lanes / warp_lanes * loss_fold::partial_words];
  __shared__ std::int64_t words[loss_words + 1];
  __shared__ bool is_last;
  const loss_sums& rows = a.rows;
  const std::int64_t step = std::int64_t(gridDim.x) * blockDim.x;
  std::int64_t row = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (rows.reduction == loss_reduction::none) {
    ONEFOLD_ROLLED
    for (; row < rows.rows; row += step)
      write_loss(term_of(rows, rows.losses[row], weight_of(rows, rows.targets[row])), rows.result,
                 rows.result_type, row);
    return;
  }
  loss_fold share;
  share.weighted = rows.weights != nullptr;
  ONEFOLD_ROLLED
  for (; row < rows.rows; row += loss_loads * step) {
    std::int64_t targets[loss_loads];
    float losses[loss_loads];
    ONEFOLD_UNROLL
    for (int i = 0; i < loss_loads; ++i)
      if (row + i * step < rows.rows)
        targets[i] = rows.targets[row + i * step], losses[i] = rows.losses[row + i * step];
    ONEFOLD_ROLLED
    for (int i = 0; i < loss_loads && row + i * step < rows.rows; ++i) {
      const double weight = weight_of(rows, targets[0]);
      share.sums[0].add(term_of(rows, losses[0], weight)), share.sums[1].add(weight);
      ONEFOLD_UNROLL
      for (int k = 0; k + 1 < loss_loads; ++k)
        targets[k] = targets[k + 1], losses[k] = losses[k + 1];
    }
  }
  folds::partial_words<loss_fold> partial;
  share.store(partial.word);
  if (!folds::fold_grid(share, partial, a.workspace, warps, is_last)) return;
  if (threadIdx.x >= warp_lanes) return;
  double result = rounded_loss_sum(rows, partial.word, false, words);
  if (rows.reduction == loss_reduction::mean) {
    const double divisor = rounded_loss_sum(rows, partial.word + parts, true, words);
    if (threadIdx.x == 0 && rows.divisor != nullptr) *rows.divisor = divisor;
    result /= divisor;
  }
  if (threadIdx.x == 0) write_loss(result, rows.result, rows.result_type, 0);
}

inline constexpr unsigned row_scale_lanes = 256;
inline unsigned row_scale_blocks(std::int64_t rows) {
  constexpr std::int64_t most = 1 << 16;
  return unsigned(std::min((rows + row_scale_lanes - 1) / row_scale_lanes, most));
}

/// Shape:  blocks of row_scale_lanes, any grid.
/// Error:  as loss_scales says.
/// Order:  none.
static __global__ void __launch_bounds__(row_scale_lanes)
    row_scale_kernel(ONEFOLD_KERNEL_ARGUMENT row_scales a) {
  const std::int64_t step = std::int64_t(gridDim.x) * blockDim.x;
  ONEFOLD_ROLLED
  for (std::int64_t row = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x; row < a.rows;
       row += step) {
    double scale = floating_at(a.g, a.g_type, a.of_rows ? row : 0);
    if (a.divisor != nullptr) scale /= *a.divisor;
    if (a.weights != nullptr) scale *= weight_of(a, a.targets[row]);
    a.scales[row] = __double2float_rn(scale);
  }
}

}  // namespace onefold::cuda
