// SPDX-License-Identifier: Apache-2.0
#pragma once
// Variances, deviations, means and sums of contiguous rows of f64, by anchored sums of the
// elements' distances from a shift k, which is 0 or the row's first element
// (accumulators/anchored_moments.cuh).
//
// Without a shift a mean m loses log2(m^2 / variance) bits of about 100. The shift is taken where
// the row's first and last element agree in 14 bits: few rows of other data do, and most rows whose
// mean is 2^14 deviations from zero.

#include "cuda/accumulators/anchored_moments.cuh"
#include "cuda/kernels/strided/moments/moment_rows.cuh"
#include "cuda/kernels/strided/moments/strided_moments.cuh"
#include "cuda/rounding/double_moments_answers.cuh"

namespace onefold::cuda {

/// Lanes have few elements of a row, of which the first may be small.
struct double_row_proof : anchored_proof {
  static constexpr int log2_most_terms = 8, log2_margin = 8;
};

/// What a lane of a row adds.
template <class Proof>
class double_row_lane {
 public:
  static constexpr bool goes_on = true;

  /// The first element, and another one. Equal ones may be few among others that are far apart.
  ONEFOLD_DEVICE explicit double_row_lane(std::uint64_t first, std::uint64_t other = 0)
      : moments_(first, moments::template are_near<14>(first, other) && first != other) {}

  ONEFOLD_DEVICE void add(std::uint64_t x) { moments_.add(x); }
  ONEFOLD_DEVICE void add_vector(const vector_of<double>& x) {
    const std::uint64_t both[] = {bits_in<double, 0>(x), bits_in<double, 1>(x)};
    moments_.add(both);
  }
  /// Those of all lanes of a row, in each of them.
  ONEFOLD_DEVICE void fold(int lanes) {
    moments_.end();
    ONEFOLD_ROLLED
    for (int step = 1; step < lanes; step *= 2) moments_.join_across(step);
  }

  /// Whether all that is asked of answer k is certified, and then written by the lane that
  /// `writes`.
  ONEFOLD_DEVICE bool write(const finish_list& finish, const double_moments_answers& answers,
                            std::int64_t k, bool writes) const {
    moments all = moments_;
    if (all.is_open()) all.end();  // rows of one lane are not folded
    return answers.write(finish, all.sums(), all.shift(), true, all.is_constant(), k, writes);
  }

 private:
  using moments = anchored_moments<Proof>;

  moments moments_;
};

/// The second attempt at answer k, by a warp: the shift is the row's first element, and distances
/// are d + e, exactly, so that (d + e)^2 = d^2 + 2 d e + e^2.
ONEFOLD_COLD inline bool write_split_distances(const strided_request& request,
                                               const double_moments_answers& answers,
                                               std::int64_t k) {
  const nest_piece piece(request, k);
  const auto* const x = reinterpret_cast<const double*>(request.x + piece.base.x);
  const double first = x[0], shift = first == 0 ? 0 : first;  // of -0 elements stay -0
  double_word_moments sums;
  bool exact = true;
  ONEFOLD_UNROLL_BY_4
  for (std::int64_t r = lane_index(); r < request.items; r += warp_lanes) {
    double d = x[r];
    const double e = two_sum(d, -shift), p = d * d;
    sums.all.add(d);
    sums.all.add_low(e);
    sums.squares.add(p);
    sums.squares.add_low(fma(d, d, -p));
    sums.squares.u = __dadd_ru(sums.squares.u, __dmul_ru(2 * d, e));
    sums.squares.u = __dadd_ru(sums.squares.u, __dmul_ru(e, e));
    sums.squares.minus_d = __dadd_ru(sums.squares.minus_d, __dmul_ru(-2 * d, e));
    exact = exact && (d == 0 || fabs(d) >= 0x1p-480);
  }
  sums.fold(warp_lanes);
  return answers.write(request.finish, sums, shift, !any_lane(!exact), false, k, lane_index() == 0);
}

/// Shape:  a request and what moment_rows_of says of it, of elements of f64; block of
///         32 row_tile_warps, any grid; dynamic shared memory for the stages of each warp.
/// Error:  none: answers as on the host.
/// Order:  none: the same answers in every run and grid.
template <class Proof>
__global__ void __launch_bounds__(row_tile_warps* warp_lanes, double_row_blocks)
    strided_double_moment_rows(ONEFOLD_KERNEL_ARGUMENT strided_request request,
                               ONEFOLD_KERNEL_ARGUMENT moment_rows by,
                               ONEFOLD_KERNEL_ARGUMENT double_moments_answers answers) {
  using state = detail::moments<double>;
  static_assert((state::words + finish_space_words<state>)*8 <= row_stages_bytes);
  ONEFOLD_DYNAMIC_SHARED(std::int64_t, shared);
  __shared__ int ambiguous[row_tile_warps][(row_tile_groups + 1) * warp_lanes];
  const unsigned warp = threadIdx.x / warp_lanes;
  std::int64_t* const stages = shared + warp * (row_stages_bytes / 8);
  const auto again = [&](std::int64_t from, unsigned count) {
    ONEFOLD_ROLLED
    for (unsigned i = 0; i < count; ++i) {
      const std::int64_t k = from + ambiguous[warp][i];
      __syncwarp();  // another lane may have written some answers
      if (!write_split_distances(request, answers, k))
        finish_exact_moments<double>(request, k, stages);
    }
  };
  const auto make = [](std::uint64_t first, std::uint64_t last) {
    return double_row_lane<Proof>(first, last);
  };
  const auto write = [&](const auto& row, std::int64_t k, bool writes) {
    return row.write(request.finish, answers, k, writes);
  };
  const auto reduce = [&](auto tiles) {
    reduce_certified_rows(request, by.rows, tiles, make, write, ambiguous[warp], again);
  };
  if (by.rows.vectors)
    reduce(row_tiles<double, true>(by.rows, stages));
  else
    reduce(row_tiles<double, false>(by.rows, stages));
}

}  // namespace onefold::cuda
