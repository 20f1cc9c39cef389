// SPDX-License-Identifier: Apache-2.0
#pragma once
// The second launch of a backward pass: the gradients of weight and bias, from the sums of all
// blocks.

#include "cuda/accumulators/block_join.cuh"
#include "cuda/kernels/normalize/gradient_sums.cuh"

namespace onefold::cuda {

/// Joins the columns of all blocks, 32 a block, and rounds them; ambiguous ones by exact sums.
/// Shape:  grid of a strip's columns / 32, strips, and 2 for the weight and the bias of centred
///         rows, else 1; blocks of join_threads.
template <class T>
__global__ void __launch_bounds__(join_threads, 1)
    gradient_columns(ONEFOLD_KERNEL_ARGUMENT gradient_launch a) {
  using real = typename row_items<T>::real;
  using sum = typename gradient_terms<T>::sum;
  constexpr int items = row_items<T>::items;
  constexpr unsigned warps = join_threads / warp_lanes;
  constexpr int meeting = sum::parts * int(warp_lanes), exact = column_sum_words<real>;
  constexpr unsigned most = meeting > exact ? meeting : exact;
  __shared__ std::int64_t shared[warps * most + 1];
  const bool bias = blockIdx.z != 0;
  void* const to = bias ? a.rows.dbias : a.rows.dweight;
  if (to == nullptr) return;
  const std::int64_t width = a.width();
  const dtype output = a.rows.float_weight ? dtype::f32 : dtype_of<T>;
  const unsigned warp = threadIdx.x / warp_lanes;
  const auto column_of = [&](std::int64_t k) {
    const std::int64_t slot = k / a.lanes, lane = k % a.lanes;
    return blockIdx.y * width + (slot / items * a.lanes + lane) * items + slot % items;
  };
  const std::int64_t k = std::int64_t(blockIdx.x) * warp_lanes + lane_index();
  const std::int64_t* const from = a.partials + (bias ? a.partials_words() : 0) +
                                   blockIdx.y * std::int64_t(a.blocks) * (sum::parts * width) + k;
  sum total;
  if (k < width) ONEFOLD_UNROLL_BY_8
  for (unsigned block = warp; block < a.blocks; block += warps)
    total.join(read_sum<sum>(from + block * (sum::parts * width), width));
  join_groups(total, sum(), warp_lanes, blockDim.x, shared);
  if (warp == 0) {
    const std::int64_t column = column_of(k);
    bool certified = true;
    if (k < width && column < a.rows.n)
      certified =
          write_answer(total, answer_form{answer_form::kind::sum, output, a.rows.rows}, to, column);
    const unsigned left = __ballot_sync(whole_warp, !certified);
    if (lane_index() == 0) shared[warps * most] = left;
  }
  __syncthreads();
  ONEFOLD_ROLLED
  for (auto left = unsigned(shared[warps * most]); left != 0; left &= left - 1)
    exact_column<T>(a.rows, column_of(k - lane_index() + unsigned(__ffs(int(left)) - 1)), bias,
                    output, shared);
}

}  // namespace onefold::cuda
