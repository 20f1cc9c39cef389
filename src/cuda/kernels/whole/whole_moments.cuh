// SPDX-License-Identifier: Apache-2.0
#pragma once
// The exact sums of elements and of their squares of a whole array in one launch.
//
// As exact.cuh, with two contiguous wide sums for each warp, in the order of the
// words of a state of moments.

#include "cuda/kernels/whole/exact_sums.cuh"
#include "cuda/kernels/whole/moment_levels.cuh"

namespace onefold::cuda {

/// Of the block that the loops are compiled for, with 128 registers, or 96.
template <class T>
inline constexpr unsigned moment_threads = has_short_products<accumulator::moments, T> ? 640 : 512;

/// Of a warp: the bins of sums and of squares, one after the other in the same place.
template <class T>
inline constexpr int moment_bin_words = bin_layout<accumulator::squares, T>::words;

/// Shared memory of a block in words of 64 bits.
template <class T>
ONEFOLD_HOST_DEVICE constexpr unsigned moments_shared_words(unsigned threads) {
  return whole_shared_words<moment_terms<T>::words, typename moment_terms<T>::state>(threads) +
         threads / warp_lanes * unsigned(moment_bin_words<T>);
}

template <class T, class Checks, class Watch>
class warp_moments {
 public:
  using traits = moment_terms<T>;
  using sum_digits = warp_digits<traits::sum::limbs, traits::sum::words>;
  using square_digits = warp_digits<traits::squares::limbs, traits::squares::words>;
  using parts = array_parts<traits, T>;
  static constexpr bool is_short = has_short_products<accumulator::moments, T>;
  using levels = std::conditional_t<is_short, short_sums<accumulator::moments, Checks>,
                                    moment_levels<T, Checks>>;
  static_assert(moment_bin_words<T> == 0 ||
                    (traits::sum::items == traits::items &&
                     traits::squares::items == traits::items &&
                     bin_layout<accumulator::total, T>::words <= moment_bin_words<T>),
                "the bins of both take the same tiles");

  ONEFOLD_DEVICE warp_moments(const T* x, std::int64_t* words, std::int64_t* bins, Watch watch)
      : x_(x), sum_(words), squares_(words + traits::sum::words), bins_(bins), watch_(watch) {
    sum_.clear(), squares_.clear();
  }

  ONEFOLD_DEVICE static element_range range(std::int64_t first) { return parts::range(first); }

  ONEFOLD_DEVICE void take_rest(const element_range& rest) {
    add_slowly(rest);
    if (!has_other_) has_other_ = shows_other<accumulator::total>(x_, x_, rest);
  }
  ONEFOLD_DEVICE void finish() { sum_.count(traits::sum::limbs + 4, has_other_); }
  ONEFOLD_DEVICE void carry() { sum_.carry(), squares_.carry(); }

  ONEFOLD_DEVICE void note(std::int64_t first, std::int64_t end, std::int64_t step) {
    for (; !has_other_ && first < end; first += step)
      has_other_ = shows_other<accumulator::total>(x_, x_, range(first));
  }
  ONEFOLD_DEVICE void add_slowly(const element_range& range) {
    const int windows = cuda::add_slowly<accumulator::total>(x_, x_, sum_.words(), range.split,
                                                             range.gap, range.count);
    watch_.slow_windows(windows + cuda::add_slowly<accumulator::squares>(x_, x_, squares_.words(),
                                                                         range.split, range.gap,
                                                                         range.count));
  }

  ONEFOLD_DEVICE std::int64_t take_slowly(std::int64_t first, std::int64_t end, std::int64_t step,
                                          int) {
    note(first, end, step);
    if constexpr (bin_layout<accumulator::squares, T>::exists) {
      add_by_bins<accumulator::total, T, second::none>(x_, x_, sum_.words(), bins_, first, end,
                                                       step);
      first = add_by_bins<accumulator::squares, T, second::none>(x_, x_, squares_.words(), bins_,
                                                                 first, end, step);
      watch_.binned_range();
    } else {
      for (; first < end; first += step) add_slowly(range(first));
    }
    return first;
  }

  ONEFOLD_DEVICE bool move_window(std::int64_t first) {
    const int exponent =
        exponent_of_key(largest_term<accumulator::total>(x_, x_, first, parts::tile_items));
    if (!levels::can_open(exponent)) return false;
    window_ = levels::window(exponent);
    watch_.moved_window();
    return true;
  }

  ONEFOLD_DEVICE std::int64_t take_fast(std::int64_t first, std::int64_t end, std::int64_t step) {
    levels sums(window_);
    if (end - first > levels::most_tiles * step) end = first + levels::most_tiles * step;
    const std::int64_t next = take_turns<tile>(
        first, end, step,
        [&](std::int64_t at, tile& to) {
          load_tile<second::none>(x_, x_, at, to.x, to.unused);
          if constexpr (loads_sink<T> || traits::has_errors) __syncwarp();
        },
        [&](std::int64_t, const tile& of_it) {
          if constexpr (is_short)
            return sums.take(of_it.x, of_it.x, watch_);
          else
            return add_tile(of_it, sums);
        });
    sums.flush(sum_, squares_);
    if (!has_other_) has_other_ = any_lane(sums.moved());
    note(first, next, step);
    return next;
  }

 private:
  struct tile {
    vector_of<T> x[traits::vectors], unused[traits::vectors];
  };

  ONEFOLD_DEVICE bool add_tile(const tile& of_it, levels& to) const {
    typename levels::chain next(to);
    evidence seen;
    ONEFOLD_UNROLL
    for (int v = 0; v < traits::vectors; ++v)
      add_vector(of_it.x[v], next, seen, std::make_integer_sequence<int, vector_items<T>>());
    if (traits::fixed && Checks::on.binade) seen.binade |= next.binade_of_elements();
    const bool fits = !any_lane(!levels::accepts(seen));
    if (fits || !Checks::on.rollback) to.take(next);
    if (fits) watch_.fast_tile();
    return fits;
  }

  template <class Chain, int... I>
  ONEFOLD_DEVICE static void add_vector(const vector_of<T>& x, Chain& to, evidence& seen,
                                        std::integer_sequence<int, I...>) {
    (to.add(double_of<T>(bits_in<T, I>(x)), seen), ...);
  }

  const T* x_;
  sum_digits sum_;
  square_digits squares_;
  std::int64_t* bins_;
  typename levels::window_type window_ = levels::window(0);
  bool has_other_ = false;
  Watch watch_;
};

/// Shape:  x[n], n >= 0, aligned to T; words[state words] or null; workspace zero before and after,
///         null of one block; block a multiple of 32, at most moment_threads<T>, any grid; dynamic
///         shared memory for moments_shared_words<T>(block) words of 64 bits.
/// Error:  none: the words are those of the state of moments of these elements; answers as on the
///         host.
/// Order:  none: integers, the same words in every run, grid and block.
template <class T, class Checks, class Watch>
__global__ void __launch_bounds__(moment_threads<T>, 1)
    exact_moments_whole(const T* x, std::int64_t capacity,
                        grid_workspace<moment_terms<T>::words>* workspace, std::int64_t* words,
                        Watch watch, ONEFOLD_KERNEL_ARGUMENT finish_list list) {
  using traits = moment_terms<T>;
  static_assert(moments_shared_words<T>(moment_threads<T>) <= 48 * 128);
  if (is_decided(list)) return;
  const std::int64_t n = counted_items(capacity, list);
  ONEFOLD_DYNAMIC_SHARED(std::int64_t, shared);
  const unsigned warp = threadIdx.x / warp_lanes;
  std::int64_t* const bins =
      shared + whole_shared_words<traits::words, typename traits::state>(blockDim.x);
  warp_moments<T, Checks, Watch> moments(x, shared + warp * traits::words,
                                         bins + warp * moment_bin_words<T>, watch);

  take_array(moments, array_parts<traits, T>(x, n));
  std::int64_t* const totals = fold_moment_warps<traits>(shared);
  if (!fold_blocks(totals, workspace)) return;
  __syncthreads();
  if (warp != 0) return;
  complete_words<accumulator::total, T, Checks>(totals, n);
  complete_words<accumulator::squares, T, Checks>(totals + traits::sum::words, n);
  __syncwarp();
  copy_words<traits::words>(totals, words, warp_lanes);
  if (list.size > 0 && threadIdx.x == 0)
    finish_sums<traits::words, typename traits::state>(totals, list, shared);
}

}  // namespace onefold::cuda
