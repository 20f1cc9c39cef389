// SPDX-License-Identifier: Apache-2.0
#pragma once
// Long columns that the interval of their variance leaves ambiguous: many blocks share each of
// them. First its double-word sums, by the parts and joins of columns.cuh; what those do not
// certify is summed up exactly, a warp a piece, whose words are added to the column's by atomics.
// Integers commute, so the order does not matter. The warp of the last piece rounds.
//
// Every launch is enqueued, and leaves at once where no column is ambiguous.

#include "cuda/kernels/strided/moments/moment_columns.cuh"

namespace onefold::cuda {

ONEFOLD_DEVICE bool is_ambiguous(const moment_columns& a, std::int64_t k) {
  return a.ambiguous[1 + k] != 0;
}
/// The words of the exact sums of answer k.
ONEFOLD_DEVICE std::int64_t* exact_words_of(const moment_columns& a, std::int64_t k) {
  return a.ambiguous + 1 + a.request.outputs + k * column_words;
}

template <class T>
ONEFOLD_DEVICE void take_double_words(const moment_columns& a) {
  for_each_part(a, [&](std::int64_t k, std::int64_t, std::int64_t part, bool there) {
    if (!there || !is_ambiguous(a, k)) return;
    const moment_column<T> column(a.request, k);
    write_part(a, column.template sums<double_word_moments>(a.lanes, part), k, part,
               a.lanes.count());
  });
}

template <class T>
ONEFOLD_DEVICE void join_double_words(const moment_columns& a) {
  join_parts<double_word_moments>(
      a, a.lanes.count(), nothing_of<T, double_word_moments>(a),
      [&](std::int64_t k) { return is_ambiguous(a, k); },
      [&](std::int64_t k, const double_word_moments& sums) {
        const bool certified = write_certified(a.request, sums, k, lane_index() == 0);
        std::int64_t* const words = exact_words_of(a, k);
        for (unsigned i = lane_index(); i < column_words; i += warp_lanes) words[i] = 0;
        if (lane_index() == 0 && certified) a.ambiguous[1 + k] = 0;
      });
}

/// Adds a piece's words to those of its answer; whether it was the last one, and then own has them
/// all. own: as of finish_exact_moments.
ONEFOLD_COLD inline bool add_exact_piece(const moment_columns& a, std::int64_t k,
                                         std::int64_t piece, std::int64_t* own) {
  using sum = terms<accumulator::total, float>;
  using squares = terms<accumulator::squares, float>;
  constexpr unsigned words = column_words - 1;
  write_exact_moments<float>(a.request, nest_piece(a.request, k * a.request.pieces + piece), own);
  std::int64_t* const to = in_global_memory(exact_words_of(a, k));
  // Whether all elements are -0, which no variance depends on, is no integer to be added.
  for (unsigned i = lane_index(); i < words; i += warp_lanes)
    if (own[i] != 0 && i != sum::limbs + 4)
      atomicAdd(reinterpret_cast<atomic_word*>(to + i), atomic_word(own[i]));
  __syncwarp();
  bool last = false;
  if (lane_index() == 0) {
    __threadfence();
    last = atomicAdd(reinterpret_cast<atomic_word*>(to + words), atomic_word(1)) ==
           atomic_word(a.request.pieces - 1);
    __threadfence();
  }
  if (!any_lane(last)) return false;
  __syncwarp();  // a vote orders no memory
  for (unsigned i = lane_index(); i < words; i += warp_lanes) own[i] = to[i];
  __syncwarp();
  carry_digits<sum::limbs>(own);
  carry_digits<squares::limbs>(own + sum::words);
  return true;
}

/// Neighbouring warps have neighbouring columns.
ONEFOLD_DEVICE void take_exact_pieces(const moment_columns& a, std::int64_t* own) {
  using state = detail::moments<float>;
  constexpr unsigned warps = strided_threads / warp_lanes;
  const std::int64_t all = a.request.outputs * a.request.pieces,
                     step = std::int64_t(gridDim.x) * warps;
  ONEFOLD_ROLLED
  for (std::int64_t task = std::int64_t(blockIdx.x) * warps + threadIdx.x / warp_lanes; task < all;
       task += step) {
    const std::int64_t piece = quotient(task, a.request.outputs),
                       k = task - piece * a.request.outputs;
    if (!is_ambiguous(a, k) || !add_exact_piece(a, k, piece, own)) continue;
    if (lane_index() == 0)
      finish_sums_of<state>(own, a.request.finish, a.request.first_output + k, own + state::words);
    __syncwarp();
  }
}

template <class T>
ONEFOLD_DEVICE void ambiguous_columns_of(const moment_columns& a) {
  if (a.step == column_step::double_join) return join_double_words<T>(a);
  take_double_words<T>(a);
}

/// Shape:  as strided_moment_columns, of columns that share the fallback, after its launches; block
///         of strided_threads, any grid.
/// Error:  none: answers as on the host.
/// Order:  none: the same answers in every run and grid.
static __global__ void __launch_bounds__(strided_threads, 4)
    ambiguous_moment_columns(ONEFOLD_KERNEL_ARGUMENT moment_columns a) {
  using state = detail::moments<float>;
  __shared__ std::int64_t shared[strided_threads / warp_lanes]
                                [state::words + finish_space_words<state>];
  if (*a.ambiguous == 0) return;
  if (a.step == column_step::exact) return take_exact_pieces(a, shared[threadIdx.x / warp_lanes]);
  if (a.request.x_kind.type == dtype::f32) return ambiguous_columns_of<float>(a);
  if (a.request.x_kind.type == dtype::bf16) return ambiguous_columns_of<bf16>(a);
  ambiguous_columns_of<f16>(a);
}

}  // namespace onefold::cuda
