// SPDX-License-Identifier: Apache-2.0
#pragma once
// Variances, deviations, sums of squares and norms of whole arrays of narrow floats, where an
// interval of doubles decides how they round (quick_moments.cuh). What it leaves ambiguous is the
// exact kernel's, which is launched next and otherwise does nothing.

#include "cuda/kernels/whole/one_launch.cuh"
#include "cuda/kernels/whole/quick.hpp"
#include "cuda/primitives/lanes.cuh"
#include "cuda/rounding/quick_moments.cuh"

namespace onefold::cuda {

/// A lane's share. Squares: the distances from 0.
template <class T>
class quick_fold {
 public:
  using element = T;
  static constexpr int partial_words = 2;

  ONEFOLD_DEVICE explicit quick_fold(double first) : none_{first}, sums_{first} {}

  template <unsigned Vectors>
  ONEFOLD_DEVICE void take(const uint4 (&v)[Vectors], std::int64_t) {
    shifted_sums<false> some = none_;
    ONEFOLD_UNROLL
    for (unsigned i = 0; i < Vectors; ++i)
      for_each_item<T>(v[i], v[i], [&](auto x, auto) { some.add(double_of<T>(x)); });
    sums_.join(some);
  }
  ONEFOLD_DEVICE void take_one(folds::bits_of<T> x, std::int64_t) { sums_.add(double_of<T>(x)); }

  ONEFOLD_DEVICE void store(std::int64_t* to) const {
    to[0] = word_of_number(sums_.s1), to[1] = word_of_number(sums_.s2);
  }
  ONEFOLD_DEVICE static void clear(std::int64_t* to) { to[0] = to[1] = 0; }
  ONEFOLD_DEVICE static void merge(std::int64_t* into, const std::int64_t* from) {
    for (int i = 0; i < partial_words; ++i)
      into[i] =
          word_of_number(__builtin_bit_cast(double, into[i]) + __builtin_bit_cast(double, from[i]));
  }
  ONEFOLD_DEVICE shifted_sums<false> sums(const std::int64_t* words) const {
    return {none_.first, __builtin_bit_cast(double, words[0]),
            __builtin_bit_cast(double, words[1])};
  }
  /// Additions one after another, at most, of n elements of which every lane of the grid takes
  /// some: those of two edges and a tile, of tiles, and of trees.
  ONEFOLD_DEVICE static double additions(std::int64_t n) {
    constexpr double tile = folds::loads_in_flight * folds::vector_items<T>;
    return 3 * tile + double(n) / (tile * gridDim.x * blockDim.x) + gridDim.x / blockDim.x + 24;
  }

 private:
  shifted_sums<false> none_, sums_;
};

template <class T>
ONEFOLD_DEVICE void decide_whole(const quick_arguments& arguments, std::int64_t* warps,
                                 bool& is_last) {
  const auto* const x = static_cast<const T*>(arguments.x);
  quick_fold<T> share(arguments.squares ? 0 : double_of<T>(bits_at(x)));
  folds::sweep(folds::vectors<T>(x, arguments.n), share);
  folds::partial_words<quick_fold<T>> partial;
  share.store(partial.word);
  if (!folds::fold_grid(share, partial, arguments.workspace, warps, is_last) || threadIdx.x != 0)
    return;
  const quick_moments quick(arguments.n,
                            arguments.squares ? arguments.n - 1 : arguments.list.correction,
                            share.additions(arguments.n));
  shifted_sums<false> sums = share.sums(partial.word);
  if (arguments.squares) sums.s1 = 0;
  const bool certified = quick.write_all(arguments.list, sums, arguments.squares);
  *arguments.decided = certified;
  if (certified) report(status_code::ok, arguments.list);
}

inline constexpr std::size_t quick_workspace_bytes = folds::workspace_of<quick_fold<float>>;

/// Shape:  n > 0; answers of moments, n > list.correction, or of squares, of f16, bf16 or f32, NaNs
///         counting; blocks of a multiple of 32 lanes, at most most_threads; at most most_blocks of
///         them.
/// Error:  none: answers as on the host.
/// Order:  none: the same answers in every run and grid.
static __global__ void __launch_bounds__(folds::most_threads, folds::blocks_each)
    quick_whole(ONEFOLD_KERNEL_ARGUMENT quick_arguments arguments) {
  __shared__ std::int64_t
      warps[folds::most_threads / warp_lanes * quick_fold<float>::partial_words];
  __shared__ bool is_last;
  if (arguments.input == dtype::f32)
    decide_whole<float>(arguments, warps, is_last);
  else if (arguments.input == dtype::bf16)
    decide_whole<bf16>(arguments, warps, is_last);
  else
    decide_whole<f16>(arguments, warps, is_last);
}

}  // namespace onefold::cuda
