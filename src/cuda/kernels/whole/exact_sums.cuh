// SPDX-License-Identifier: Apache-2.0
#pragma once
// The exact reduction of a whole array in one launch.
//
// Every warp has a cascade in registers (of products of bfloat16 short_products.cuh) and the digits
// of a wide sum in shared memory, and takes one tile after another by tile_ways.cuh; after all
// digits there are bins for tiles whose exponents are far apart (bins.cuh). At the end blocks add
// their digits up, and the last one writes the state.

#include "cuda/accumulators/bins.cuh"
#include "cuda/accumulators/block.cuh"
#include "cuda/accumulators/carry.cuh"
#include "cuda/accumulators/slow.cuh"
#include "cuda/kernels/whole/short_products.cuh"
#include "cuda/primitives/grid.cuh"
#include "cuda/primitives/tile_ways.cuh"
#include "cuda/rounding/epilogue.cuh"
#include "cuda/rounding/plain_digits.cuh"

#include <utility>

namespace onefold::cuda {

/// Whether the compiler lets the loads of a tile sink to where registers become free, at the end of
/// the tile before: then a barrier keeps them. Where it does not, one costs 1 %.
template <class T>
inline constexpr bool loads_sink = std::is_same_v<T, bf16>;

template <accumulator Accumulator, class T, second Second, class Checks, class Watch,
          class Lanes = usual_lanes>
class warp_total {
 public:
  using traits = terms<Accumulator, T, Lanes>;
  using digits = warp_digits<traits::limbs, traits::words>;
  using parts = array_parts<traits, T>;
  static constexpr bool is_short = has_short_products<Accumulator, T>;
  using levels = std::conditional_t<
      is_short, short_sums<Accumulator, Checks>,
      cascade<typename traits::lane, typename traits::cascade_form, traits::lsb, Checks>>;
  static_assert(traits::items == terms<Accumulator, T>::items, "bins take the tiles of any lanes");
  static constexpr bool notes_zeros =
      Accumulator == accumulator::total || Accumulator == accumulator::products;

  ONEFOLD_DEVICE warp_total(const T* x, const T* y, std::int64_t* words, std::int64_t* bins,
                            Watch watch)
      : x_(x), y_(y), digits_(words), bins_(bins), watch_(watch) {
    digits_.clear();
  }

  ONEFOLD_DEVICE static element_range range(std::int64_t first) { return parts::range(first); }

  ONEFOLD_DEVICE void take_rest(const element_range& rest) {
    add_slowly(rest);
    if (notes_zeros && !has_other_) has_other_ = shows_other<Accumulator>(x_, y_, rest);
  }

  ONEFOLD_DEVICE void finish() { digits_.count(traits::limbs + 4, has_other_); }
  ONEFOLD_DEVICE void carry() { digits_.carry(); }

  /// Looks at tiles for a term that is not -0.
  ONEFOLD_DEVICE void note(std::int64_t first, std::int64_t end, std::int64_t step) {
    for (; notes_zeros && !has_other_ && first < end; first += step)
      has_other_ = shows_other<Accumulator>(x_, y_, range(first));
  }
  ONEFOLD_DEVICE void add_slowly(const element_range& range) {
    watch_.slow_windows(cuda::add_slowly<Accumulator>(x_, y_, digits_.words(), range.split,
                                                      range.gap, range.count));
  }

  ONEFOLD_DEVICE bool move_window(std::int64_t first) {
    if constexpr (is_short) {
      const int x = largest_exponent<accumulator::total>(x_, x_, first);
      const int y = traits::pairs ? largest_exponent<accumulator::total>(y_, y_, first) : x;
      if (!levels::can_open(x, y)) return false;
      window_ = levels::window(x, y);
    } else {
      const int exponent = largest_exponent<Accumulator>(x_, y_, first);
      if (!levels::can_open(exponent)) return false;
      window_ = levels::window(exponent);
    }
    watch_.moved_window();
    return true;
  }

  // Doubles take ten times the work of a window, so that two tiles in a row have to ask for bins.
  ONEFOLD_DEVICE std::int64_t take_slowly(std::int64_t first, std::int64_t end, std::int64_t step,
                                          int most) {
    note(first, end, step);
    constexpr int by_windows = sizeof(T) < 8 ? 0 : 2;
    if constexpr (bin_layout<Accumulator, T>::exists)
      if (most > by_windows) {
        const std::int64_t next =
            add_by_bins<Accumulator, T, Second>(x_, y_, digits_.words(), bins_, first, end, step);
        watch_.binned_range();
        return next;
      }
    for (; first < end; first += step) add_slowly(range(first));
    return first;
  }

  // Sums that are not 0 show a term that is not -0. Only where all are, the tiles are read again.
  ONEFOLD_DEVICE std::int64_t take_fast(std::int64_t first, std::int64_t end, std::int64_t step) {
    levels sums(window_);
    if (end - first > levels::most_tiles * step) end = first + levels::most_tiles * step;
    const std::int64_t next = take_turns<tile>(
        first, end, step,
        [&](std::int64_t at, tile& to) {
          load_tile<Second>(x_, y_, at, to.x, to.y);
          if constexpr (loads_sink<T> || traits::has_errors) __syncwarp();
        },
        [&](std::int64_t at, const tile& of_it) {
          if constexpr (is_short)
            return sums.take(of_it.x, of_it.y, watch_);
          else
            return add_tile(at, of_it, sums);
        });
    sums.flush(digits_);
    if (notes_zeros && !has_other_) has_other_ = any_lane(sums.moved());
    note(first, next, step);
    return next;
  }

 private:
  template <accumulator Terms>
  ONEFOLD_DEVICE static int largest_exponent(const T* x, const T* y, std::int64_t first) {
    return exponent_of_key(largest_term<Terms>(x, y, first, parts::tile_items));
  }

  struct tile {
    vector_of<T> x[traits::shape.vectors], y[traits::shape.vectors];
  };

  ONEFOLD_DEVICE bool add_tile(std::int64_t first, const tile& of_it, levels& sums) const {
    evidence seen;
    std::uint32_t smallest = 0x7FFFFFFF;
    ONEFOLD_UNROLL
    for (int v = 0; v < traits::shape.vectors; ++v) {
      add_vector(of_it.x[v], of_it.y[v], sums, seen, smallest,
                 std::make_integer_sequence<int, per_vector>());
      if (!chains_in_a_vector && (v + 1) * per_vector % traits::chain_items == 0)
        sums.end_chain(seen);
    }
    bool fits = !any_lane(!levels::accepts(seen));
    if constexpr (traits::has_errors)
      if (fits && any_lane(smallest < least_product_word))
        fits = errors_are_whole<Accumulator>(x_, y_, first, parts::tile_items);
    sums.end_tile(fits || !Checks::on.rollback);
    if (fits) watch_.fast_tile();
    return fits;
  }

  static constexpr int per_vector = vector_items<T>;
  static constexpr bool chains_in_a_vector = traits::chain_items < per_vector;

  template <int... I>
  ONEFOLD_DEVICE static void add_vector(const vector_of<T>& x, const vector_of<T>& y, levels& to,
                                        evidence& seen, std::uint32_t& smallest,
                                        std::integer_sequence<int, I...>) {
    (add_item<I>(bits_in<T, I>(x), bits_in<T, I>(y), to, seen, smallest), ...);
  }
  template <int I>
  ONEFOLD_DEVICE static void add_item(typename traits::bits a, typename traits::bits b, levels& to,
                                      evidence& seen, std::uint32_t& smallest) {
    if constexpr (traits::shape.floats) {
      to.add(traits::float_term(a), seen);
      if constexpr (chains_in_a_vector && (I + 1) % traits::chain_items == 0) to.end_chain(seen);
    } else if constexpr (traits::has_errors) {
      const double term = traits::term(a, b);
      to.template add<0, traits::shape.levels - 2>(term, seen);
      if (Checks::on.underflow) smallest = min(smallest, high_word(term) & 0x7FFFFFFF);
      if (Checks::on.error_term) to.template add<1>(traits::error(a, b, term), seen);
    } else if constexpr (has_products<Accumulator>) {
      to.add_product(double_of<T>(a), double_of<T>(b), seen);
    } else {
      to.add(traits::term(a, b), seen);
    }
  }

  const T *x_, *y_;
  digits digits_;
  std::int64_t* bins_;
  int window_ = levels::window(0);
  bool has_other_ = false;
  Watch watch_;
};

/// The block that the loops are compiled for, and how many a multiprocessor works on. Two tiles and
/// a cascade of doubles take up to 128 registers, short products 96; lanes of float32 work longer
/// at each byte, and get by with 80. Smaller blocks end sooner, but of products of doubles and of
/// short ones larger ones read more.
template <accumulator Accumulator, class T>
inline constexpr unsigned whole_threads = has_short_products<Accumulator, T>  ? 640
                                          : terms<Accumulator, T>::has_errors ? 512
                                                                              : 256;
template <accumulator Accumulator, class T, class Lanes = usual_lanes>
inline constexpr unsigned whole_blocks_each =
    terms<Accumulator, T, Lanes>::shape.floats&& terms<Accumulator, T, Lanes>::shape.levels < 3 ? 3
    : whole_threads<Accumulator, T> == 256                                                      ? 2
                                                                                                : 1;

/// A tile makes fewer than 2^9 deposits, and digits have room for 2^30.
inline constexpr std::int64_t tiles_between_carries = std::int64_t(1) << 20;

/// Of a large array a block takes contiguous tiles, which reads 1 % faster than a grid stride; of a
/// small one a grid stride leaves every block a tile.
inline constexpr int least_rounds = 16;

/// The rest of an array is for the warp whose turn were next.
template <class Warp, class Parts>
ONEFOLD_DEVICE void take_array(Warp& total, const Parts& whole) {
  const unsigned warp = threadIdx.x / warp_lanes, warps = blockDim.x / warp_lanes;
  const std::int64_t stride = std::int64_t(gridDim.x) * warps;
  const std::int64_t turn = std::int64_t(blockIdx.x) * warps + warp;
  std::int64_t tile = turn, behind = whole.tiles, apart = stride;
  if (whole.tiles >= least_rounds * stride) {
    const std::int64_t share = (whole.tiles + gridDim.x - 1) / gridDim.x;
    tile = blockIdx.x * share + warp, apart = warps;
    behind = min(whole.tiles, (blockIdx.x + 1) * share);
  }
  const std::int64_t step = apart * whole.tile_items, run = tiles_between_carries * step;
  const std::int64_t end = whole.first_of(behind);
  for (std::int64_t first = whole.first_of(tile); first < end; first += run) {
    take_tiles(total, first, min(end, first + run), step);
    if (end - first > run) total.carry();
  }
  if (whole.rest.count > 0 && whole.tiles % stride == turn) total.take_rest(whole.rest);
  total.finish();
}

/// Shared memory of a block in words of 64 bits.
template <accumulator Accumulator, class T>
ONEFOLD_HOST_DEVICE constexpr unsigned exact_shared_words(unsigned threads) {
  return whole_shared_words<terms<Accumulator, T>::words, typename terms<Accumulator, T>::state>(
             threads) +
         threads / warp_lanes * unsigned(bin_layout<Accumulator, T>::words);
}

// More than 48 KiB would have to be asked for.
template <accumulator Accumulator, class T>
inline constexpr bool
    exact_shared_fits = exact_shared_words<Accumulator, T>(whole_threads<Accumulator, T>) <=
                        48 * 128;

/// Carries the digits and fills in what the loops do not count. One warp.
template <accumulator Accumulator, class T, class Checks>
ONEFOLD_DEVICE void complete_words(std::int64_t* words, std::int64_t n) {
  constexpr int limbs = terms<Accumulator, T>::limbs;
  if constexpr (Checks::on.carry) carry_digits<limbs>(words);
  if (lane_index() != 0) return;
  words[limbs] = n;
  const bool has_sign = Accumulator == accumulator::total || Accumulator == accumulator::products;
  words[limbs + 4] = has_sign ? words[limbs + 4] == 0 : words[limbs + 1] == n;
}

/// The work of exact_whole on n elements. shared: its dynamic shared memory. join(words of a
/// block): whether they are now those of all blocks.
template <accumulator Accumulator, class T, second Second, class Checks, class Watch, class Lanes,
          class Join>
ONEFOLD_DEVICE void reduce_whole(const T* x, const T* y, std::int64_t n, const Join& join,
                                 std::int64_t* words, Watch watch, const finish_list& list,
                                 std::int64_t* shared) {
  using traits = terms<Accumulator, T, Lanes>;
  static_assert(exact_shared_fits<Accumulator, T>);
  const unsigned warp = threadIdx.x / warp_lanes;
  std::int64_t* const bins =
      shared + whole_shared_words<traits::words, typename traits::state>(blockDim.x);
  warp_total<Accumulator, T, Second, Checks, Watch, Lanes> total(
      x, y, shared + warp * traits::words, bins + warp * bin_layout<Accumulator, T>::words, watch);

  take_array(total, array_parts<traits, T>(x, n));
  std::int64_t* const totals = fold_warps<traits::limbs, traits::words>(shared);
  if (!join(totals)) return;
  __syncthreads();
  if (warp != 0) return;
  complete_words<Accumulator, T, Checks>(totals, n);
  __syncwarp();
  copy_words<traits::words>(totals, words, warp_lanes);
  if (list.size == 0 || finish_plain_sum<Accumulator, T>(totals, n, list)) return;
  if (threadIdx.x == 0) finish_sums<traits::words, typename traits::state>(totals, list, shared);
}

/// Shape:  x[n], and for products y[n], n >= 0, aligned to T; words[state words] or null;
///         workspace zero before and after, null of one block; block a multiple of 32, at most
///         whole_threads; any grid; dynamic shared memory for
///         exact_shared_words<Accumulator, T>(block) words of 64 bits.
/// Error:  none: the words are those of the state of these elements; answers as on the host.
/// Order:  none: integers, the same words in every run, grid and block.
template <accumulator Accumulator, class T, second Second, class Checks, class Watch,
          class Lanes = usual_lanes>
__global__ void __launch_bounds__((whole_threads<Accumulator, T>),
                                  (whole_blocks_each<Accumulator, T, Lanes>))
    exact_whole(const T* x, const T* y, std::int64_t capacity,
                grid_workspace<terms<Accumulator, T>::words>* workspace, std::int64_t* words,
                Watch watch, ONEFOLD_KERNEL_ARGUMENT finish_list list) {
  if (is_decided(list)) return;
  const std::int64_t n = counted_items(capacity, list);
  ONEFOLD_DYNAMIC_SHARED(std::int64_t, shared);
  reduce_whole<Accumulator, T, Second, Checks, Watch, Lanes>(
      x, y, n, [workspace](std::int64_t* totals) { return fold_blocks(totals, workspace); }, words,
      watch, list, shared);
}

}  // namespace onefold::cuda
