// SPDX-License-Identifier: Apache-2.0
#pragma once
// Logarithms of exponentials of contiguous rows of floats (accumulators/exponential_terms.cuh): by
// plain sums, or, of f64 and of logarithms of probabilities, by double words. What those leave
// ambiguous is reduced again.

#include "cuda/kernels/strided/certified_rows.cuh"
#include "cuda/kernels/strided/exponentials/exponential_rows.hpp"
#include "cuda/kernels/strided/exponentials/exponential_second_attempt.cuh"
#include "cuda/kernels/strided/exponentials/packed_exponentials.cuh"

namespace onefold::cuda {

template <class T>
inline constexpr int exponential_row_blocks = sizeof(T) == 8 ? double_exponential_blocks
                                                             : exponential_blocks;

/// How a warp reads rows of narrow floats.
enum class row_mode : unsigned char { near, any, precise };

/// What suits the first row, and so perhaps all: of sums near 1, whose logarithms no plain sum
/// certifies, as those of probabilities, anchored sums. Of long rows a part is asked, whose sum is
/// then near its share. Every thread of the block calls it.
template <class T>
ONEFOLD_COLD row_mode mode_of(const T* x, std::int64_t items) {
  constexpr std::int64_t most = 8192;
  __shared__ double sums[row_tile_warps];
  const std::int64_t sampled = min(items, most);
  exponential_lane<T, plain_exponentials, exponential_reach_of::near> lane;
  ONEFOLD_UNROLL_BY_8
  for (std::int64_t i = threadIdx.x; i < sampled; i += row_tile_warps * warp_lanes)
    lane.add(bits_at(x + i));
  lane.fold(warp_lanes);
  if (lane_index() == 0) sums[threadIdx.x / warp_lanes] = lane.sums().sum;
  __syncthreads();
  double sum = 0;
  ONEFOLD_UNROLL
  for (const double each : sums) sum += each;
  if (!(sum > 0x1p-300 && sum < 0x1p369)) return row_mode::any;
  const double reach = sampled == items ? 0x1p-12 : 0.25;
  const double off = sum * (double(items) / double(sampled)) - 1;
  return off > -reach && off < reach ? row_mode::precise : row_mode::near;
}
template <class T>
ONEFOLD_DEVICE row_mode first_mode(const strided_request& request) {
  if constexpr (sizeof(T) == 8)
    return row_mode::precise;
  else
    return mode_of(reinterpret_cast<const T*>(request.x), request.items);
}

/// All rows of a warp. stages, noted: its shared memory, of row_stages_bytes, and for rows. Rows
/// that are not certified are read in the next mode from then on.
template <class T, bool Vectors>
ONEFOLD_DEVICE void reduce_exponential_rows(const strided_request& request,
                                            const strided_rows& rows,
                                            const exponential_answers& answers, row_mode mode,
                                            std::int64_t* stages, int* noted) {
  using wide = std::conditional_t<sizeof(T) == 8, double, float>;
  row_tiles<T, Vectors> tiles(rows, stages);
  const auto take = [&]<class Lane>(const auto& make, detail::tag<Lane>, const std::byte* x,
                                    std::int64_t first, std::int64_t row, std::int64_t step) {
    return take_certified_rows(
        tiles, x, first, row, step, make,
        [&](Lane lane, std::int64_t k, bool writes) {
          typename Lane::bits made;
          lane.end();  // rows of one lane are not folded
          const bool certified =
              answers.template round<T>(lane.sums(), lane.middle(), made, Lane::near);
          if (certified && writes) write_bits<T>(request.finish.answers[0].to, k, made);
          return certified;
        },
        noted,
        [&](std::int64_t from, unsigned count) {
          if (8 * count >= warp_lanes)
            mode = mode == row_mode::near ? row_mode::precise : row_mode::any;
          finish_noted_logarithms<wide>(request, from, noted, count, stages);
        });
  };
  for_each_plane(
      request, rows,
      [&](const std::byte* x, std::int64_t first, std::int64_t row, std::int64_t step) {
        ONEFOLD_ROLLED
        while (row < rows.count) {
          if constexpr (sizeof(T) < 8) {
            using near = exponential_lane<T, plain_exponentials, exponential_reach_of::near>;
            using any = exponential_lane<T, plain_exponentials>;
            if (mode == row_mode::near) {
              row = take([] { return near(); }, detail::tag<near>(), x, first, row, step);
              continue;
            }
            if (mode == row_mode::any) {
              row = take([](auto bits) { return any(bits); }, detail::tag<any>(), x, first, row,
                         step);
              continue;
            }
            using anchored = exponential_lane<T, anchored_exponentials, exponential_reach_of::near>;
            row = take([] { return anchored(); }, detail::tag<anchored>(), x, first, row, step);
          } else {
            using precise = exponential_lane<T, double_exponentials>;
            row = take([](auto bits) { return precise(bits); }, detail::tag<precise>(), x, first,
                       row, step);
          }
        }
      });
}

/// Shape:  a request and what exponential_rows_of says of it, of elements of T; block of
///         32 row_tile_warps, any grid; dynamic shared memory for the stages of each warp.
/// Error:  none: answers as on the host.
/// Order:  none: the same answers in every run and grid.
template <class T>
__global__ void __launch_bounds__(row_tile_warps* warp_lanes, exponential_row_blocks<T>)
    strided_exponential_rows(ONEFOLD_KERNEL_ARGUMENT strided_request request,
                             ONEFOLD_KERNEL_ARGUMENT strided_rows rows,
                             ONEFOLD_KERNEL_ARGUMENT exponential_answers answers) {
  static_assert(exponential_space_words * 8 <= row_stages_bytes);
  ONEFOLD_DYNAMIC_SHARED(std::int64_t, shared);
  __shared__ int ambiguous[row_tile_warps][(row_tile_groups + 1) * warp_lanes];
  write_tables();
  const unsigned warp = threadIdx.x / warp_lanes;
  std::int64_t* const stages = shared + warp * (row_stages_bytes / 8);
  const row_mode mode = first_mode<T>(request);
  if (rows.vectors)
    reduce_exponential_rows<T, true>(request, rows, answers, mode, stages, ambiguous[warp]);
  else
    reduce_exponential_rows<T, false>(request, rows, answers, mode, stages, ambiguous[warp]);
}

using exponential_rows_kernel = void (*)(strided_request, strided_rows, exponential_answers);

inline exponential_rows_kernel exponential_rows_kernel_of(dtype input, bool packed) {
  if (packed) return strided_packed_exponentials;
  if (input == dtype::f64) return strided_exponential_rows<double>;
  if (input == dtype::f32) return strided_exponential_rows<float>;
  return input == dtype::bf16 ? strided_exponential_rows<bf16> : strided_exponential_rows<f16>;
}
inline exponential_answers exponential_answers_of(const strided_request& request,
                                                  const strided_rows& rows) {
  return exponential_answers(request.items, row_tile_additions(rows.shape, request.items));
}

}  // namespace onefold::cuda
