// SPDX-License-Identifier: Apache-2.0
#pragma once
// reduce/exact: the engine's own sum, rounded once.
//
// The kernel is no copy: it is the one that the library launches for the sum of an array of floats
// (src/cuda/kernels/whole/exact_sums.cuh). It combines what the rungs before it do one by one, in
// five steps.
//
// 1. Loads: four of 16 bytes in flight, as in reduce/vector. A warp loads its next tile before it
//    adds this one (take_turns in src/cuda/primitives/tile_ways.cuh).
// 2. Windows: an addition hands on what it rounds off, as in reduce/kahan. A sum s of doubles
//    begins at 1.5 * 2^p, far above the elements, and takes in x by
//      t = s + x;  q = t - s;  r = x - q;  s = t
//    While s is between 2^p and 2^(p+1), q and r are exact, and s counts whole units of 2^(p-52).
//    r goes to a second sum that begins lower, and from there to a third.
// 3. Evidence: if the last sum loses nothing, the sums are integers, as in reduce/integers, and one
//    vote of the warp for each tile says so. Otherwise the tile is added again, in a window for its
//    own largest exponent or digit by digit; this is the fallback of reduce/interval, for a tile
//    instead of the array (the proof: src/cuda/accumulators/cascade.cuh).
// 4. Blocks: warps and then blocks add their integers to one long integer, in any order, and the
//    last block is known as in reduce/one-launch (src/cuda/primitives/grid.cuh).
// 5. Rounding: the last block rounds the long integer, once (src/cuda/rounding/plain_digits.cuh).

#include "ladder/reduce/exact_shape.hpp"

#include "cuda/kernels/whole/exact_sums.cuh"

namespace onefold::ladder {

/// Shape:  in[n], aligned to T; workspace zero before and after; block a multiple of 32, at most
///         exact_block; any grid; dynamic shared memory of exact_shared_bytes(block).
/// Error:  none beyond one rounding: to nearest, ties to even.
/// Order:  none: integers. The same bits from every block, grid and schedule.
template <class T>
inline constexpr auto reduce_exact =
    cuda::exact_whole<accumulator::total, T, cuda::second::none, cuda::all_checks, cuda::unwatched>;

template <class T>
using exact_workspace = cuda::grid_workspace<cuda::terms<accumulator::total, T>::words>;

template <class T>
std::size_t exact_shared_bytes(unsigned block) {
  return cuda::exact_shared_words<accumulator::total, T>(block) * sizeof(std::int64_t);
}

/// The answer that the kernel writes: the sum, to *out. decided: null, or not 0 where another
/// kernel has written *out, and this one ends at once.
template <class T>
cuda::finish_list sum_in(T* out, const std::int64_t* decided) {
  cuda::finish_list list;
  list.answers[0] = {out, op::sum, dtype_of<T>};
  list.size = 1;
  list.decided = decided;
  return list;
}

}  // namespace onefold::ladder
