// SPDX-License-Identifier: Apache-2.0
#pragma once
// reduce/exact: the same loads, and a sum that is rounded once.
//
// A tree of floats rounds at every addition, so its bits depend on the block, the grid and the
// order. Here an addition keeps what it rounds off. The sum s begins at 1.5 * 2^p, far above the
// elements, and takes in x by
//   t = s + x;  q = t - s;  r = x - q;  s = t
// While s stays between 2^p and 2^(p+1), q and r are exact: s counts whole units of 2^(p-52), and
// what was lost, r, goes to a second sum that begins lower, and from there to a third. If the last
// of them loses nothing, the sums hold the tile's elements as integers, whatever the order. The
// evidence is three words of bits that every addition adds to; one vote of the warp reads it.
//
// A tile that does not fit gets a window of its own, the sums at 2^p above its largest element;
// elements that spread over more than a window's 70 to 90 binades are added in digits. Integers of
// warps and blocks meet in one long integer, which the last block rounds.
//
// Built from the engine's parts: the proof is in src/cuda/accumulators/cascade.cuh, and the
// engine's own kernel differs in loading one tile while it adds another.

#include "ladder/reduce/exact_shape.hpp"
#include "ladder/reduce/vector.cuh"

#include "cuda/accumulators/block.cuh"
#include "cuda/accumulators/slow.cuh"
#include "cuda/primitives/grid.cuh"

namespace onefold::ladder {

template <class T>
struct exact_parts {
  using terms = cuda::terms<accumulator::total, T>;
  using levels = cuda::cascade<double, typename terms::cascade_form, terms::lsb, cuda::all_checks>;
  using digits = cuda::warp_digits<terms::limbs, terms::words>;
  using tiles = cuda::array_parts<terms, T>;
  using workspace = cuda::grid_workspace<terms::words>;
  static_assert(terms::shape.vectors == loads_in_flight && !terms::shape.floats);
};

/// Any elements at all, read one by one, to the digits of a warp. A call, with scalars, so that its
/// registers are not the loop's. Returns whether an element was not -0.
template <class T>
ONEFOLD_COLD bool add_slowly(const T* in, std::int64_t* words, std::int64_t split, std::int64_t gap,
                             std::int64_t count) {
  using slow = cuda::exact_fallback<accumulator::total, T>;
  using format = detail::float_format<T>;
  const cuda::element_range range{split, gap, count};
  const slow warp(in, in, words);
  bool other = false;
  for (std::int64_t base = 0; base < count; base += slow::step) {
    typename slow::bits a[slow::per_lane], same[slow::per_lane];
    for (int i = 0; i < slow::per_lane; ++i) {
      const std::int64_t r = base + i * std::int64_t{cuda::warp_lanes} + cuda::lane_index();
      a[i] = same[i] = r < count ? detail::to_bits(in[range.at(r)]) : format::sign_bit;
      other |= a[i] != format::sign_bit;
    }
    warp.add_loaded(a, same);
  }
  return cuda::any_lane(other);
}

/// What one warp has added.
template <class T>
class exact_share {
 public:
  using parts = exact_parts<T>;
  using levels = typename parts::levels;

  __device__ exact_share(const T* in, std::int64_t* words) : in_(in), digits_(words) {
    digits_.clear();
  }

  /// The way of almost every tile ends at the first `return`.
  __device__ void take_tile(std::int64_t first) {
    const auto* tile = reinterpret_cast<const vector_of<T>*>(in_ + first) + cuda::lane_index();
    vector_of<T> loaded[loads_in_flight];
    ONEFOLD_UNROLL
    for (unsigned i = 0; i < loads_in_flight; ++i) loaded[i] = tile[i * cuda::warp_lanes];
    if (add(loaded)) return;
    flush();
    if (open_window(loaded) && add(loaded)) return;
    take_slowly({0, first, parts::tiles::tile_items});
  }

  __device__ void take_slowly(const cuda::element_range& range) {
    has_other_ |= add_slowly(in_, digits_.words(), range.split, range.gap, range.count);
  }

  __device__ void finish() {
    flush();
    digits_.count(parts::terms::limbs + 4, has_other_);
  }

 private:
  /// Adds a tile, if it fits into the window.
  __device__ __forceinline__ bool add(const vector_of<T> (&loaded)[loads_in_flight]) {
    cuda::evidence seen;
    for_each(loaded, [&](T x) { sums_.add(x, seen); });
    sums_.end_chain(seen);
    const bool fits = !cuda::any_lane(!levels::accepts(seen));
    sums_.end_tile(fits);
    if (fits && !has_other_) has_other_ = cuda::any_lane(has_other(loaded));
    if (++tiles_ == levels::most_tiles) flush();
    return fits;
  }

  /// A window for the largest of these elements, unless one of them is Inf, NaN or close to it.
  __device__ bool open_window(const vector_of<T> (&loaded)[loads_in_flight]) {
    std::uint32_t key = 0;
    for_each(loaded, [&](T x) { key = max(key, cuda::magnitude_key(x)); });
    const int exponent = cuda::exponent_of_key(cuda::warp_max(key));
    if (!levels::can_open(exponent)) return false;
    window_ = levels::window(exponent);
    sums_ = levels(window_);
    return true;
  }

  /// A sum of nothing but -0 is -0.
  __device__ static bool has_other(const vector_of<T> (&loaded)[loads_in_flight]) {
    bool any = false;
    for_each(loaded, [&](T x) { any |= detail::to_bits(x) != parts::terms::format::sign_bit; });
    return any;
  }

  template <class Look>
  __device__ __forceinline__ static void for_each(const vector_of<T> (&loaded)[loads_in_flight],
                                                  const Look& look) {
    ONEFOLD_UNROLL
    for (const vector_of<T>& v : loaded) {
      look(v.x), look(v.y);
      if constexpr (sizeof(T) == 4) look(v.z), look(v.w);
    }
  }

  __device__ void flush() {
    sums_.flush(digits_);
    sums_ = levels(window_);
    tiles_ = 0;
  }

  const T* in_;
  typename parts::digits digits_;
  int window_ = levels::window(0), tiles_ = 0;
  levels sums_{window_};
  bool has_other_ = false;
};

/// The long integer, rounded to nearest, ties to even; what was no number decides first. One lane.
template <class T>
ONEFOLD_COLD T rounded(std::int64_t* words, bool empty) {
  using terms = typename exact_parts<T>::terms;
  constexpr int limbs = terms::limbs;
  const bool nan = words[limbs + 1] != 0;
  const bool plus = words[limbs + 2] != 0, minus = words[limbs + 3] != 0;
  if (nan || (plus && minus)) return detail::canonical_nan<T>();
  if (plus || minus) return detail::with_sign<T>(terms::format::infinity, minus);
  detail::carry_digits<detail::all_checks>(words, limbs);
  const bool below_zero = words[limbs - 1] < 0;
  if (below_zero) detail::negate_digits<detail::all_checks>(words, limbs);
  const bool only_minus_zeros = !empty && words[limbs + 4] == 0;
  return detail::with_sign<T>(detail::round_magnitude<T>({words, limbs}, terms::lsb),
                              below_zero || only_minus_zeros);
}

/// Shape:  in[n], 0 <= n <= 2^28, aligned to T; out[1]; *workspace is zero before and after; block
///         a power of two from 32 to exact_block; any grid; dynamic shared memory for
///         shared_words<words>(block) words of 64 bits.
/// Error:  none beyond one rounding: to nearest, ties to even.
/// Order:  none: integers. The same bits from every block, grid and schedule.
template <class T>
__global__ void __launch_bounds__(exact_block)
    reduce_exact(const T* in, std::size_t n, T* out,
                 typename exact_parts<T>::workspace* workspace) {
  using parts = exact_parts<T>;
  constexpr int limbs = parts::terms::limbs, words = parts::terms::words;
  ONEFOLD_DYNAMIC_SHARED(std::int64_t, shared);
  const unsigned warp = threadIdx.x / cuda::warp_lanes, warps = blockDim.x / cuda::warp_lanes;
  exact_share<T> share(in, shared + warp * words);

  const typename parts::tiles whole(in, static_cast<std::int64_t>(n));
  const std::int64_t at = std::int64_t{blockIdx.x} * warps + warp;
  const std::int64_t stride = std::int64_t{gridDim.x} * warps;
  for (std::int64_t t = at; t < whole.tiles; t += stride) share.take_tile(whole.first_of(t));
  if (whole.tiles % stride == at) share.take_slowly(whole.rest);
  share.finish();

  std::int64_t* const totals = cuda::fold_warps<limbs, words>(shared);
  if (!cuda::fold_blocks(totals, workspace)) return;
  __syncthreads();
  if (threadIdx.x == 0) *out = rounded<T>(totals, n == 0);
}

}  // namespace onefold::ladder
