// SPDX-License-Identifier: Apache-2.0
#pragma once
// Variances, deviations, means and sums of contiguous rows of f64, by double-word sums of the
// elements' distances from a shift k, which is 0 or the row's first element.
//
// Let d = x - k, A = sum d, B = sum d^2. Both have an interval (pair_sum, exact/interval.cuh) if
// every d is exact, and every d^2 = p + e, p = fl(d^2), e = fl(d^2 - p).
// * d is exact if k = 0, or if every x is at most a factor of two from k and has its sign
// (Sterbenz):
//   the bits of x and k differ by less than 2^52, as their high words by less than 2^20.
// * e is exact if d = 0 or |d| >= 2^-481: d^2 is a multiple of 2^-1066.
// A lane keeps what these need: the largest distance of high words, and the least |d| but 0.
// Variances are those of exact/double_word_moments.cuh, from A and B; no step of them underflows,
// as d is a multiple of 2^-533. The sum of the elements is n k + A.
//
// Without a shift a mean m loses log2(m^2 / variance) bits of about 100. The shift is taken where
// the row's first and last element agree in 14 bits: few rows of other data do, and most rows whose
// mean is 2^14 deviations from zero.

#include "cuda/exact/double_moments_answers.cuh"
#include "cuda/nested/moments/moments.cuh"
#include "cuda/nested/moments/rows.cuh"

namespace onefold::cuda {

/// What the proof asks of a row; tests ask less.
struct double_row_limits {
  static constexpr std::uint32_t one_binade = 1u << 20;         ///< of high words
  std::uint32_t farthest = 2 * (one_binade - 1);                ///< of a shifted row
  std::uint32_t least = (std::uint32_t(1023 - 480) << 21) - 1;  ///< of distances
};

/// What a lane of a row adds.
class double_row_lane {
 public:
  /// The first element, and another one.
  ONEFOLD_DEVICE explicit double_row_lane(std::uint64_t first, std::uint64_t other = 0)
      : first_(first) {
    // Equal elements may be few among others that are far apart.
    const bool near = high(other) - high(first) + near_words <= 2 * near_words && first != other;
    shift_ = near ? detail::from_bits<double>(first) : 0;
  }
  ONEFOLD_DEVICE double_row_lane none() const {
    double_row_lane made(first_);
    made.shift_ = shift_;
    return made;
  }
  ONEFOLD_DEVICE void add(std::uint64_t x) {
    const double d = detail::from_bits<double>(x) - shift_, p = d * d;
    sums_.all.add(d);
    sums_.squares.add(p);
    sums_.squares.add_low(fma(d, d, -p));
    const auto bits = detail::to_bits(d);
    least_ = min(least_, high(2 * bits - 1));  // of 0 it is the largest of all
    farthest_ = max(farthest_, high(x) - high(first_) + (double_row_limits::one_binade - 1));
    differing_ |= std::uint32_t(x ^ first_) | high(x ^ first_);
  }
  ONEFOLD_DEVICE void join(const double_row_lane& other) {
    sums_.all.join(other.sums_.all), sums_.squares.join(other.sums_.squares);
    least_ = min(least_, other.least_), farthest_ = max(farthest_, other.farthest_);
    differing_ |= other.differing_;
  }
  /// Those of all lanes of a row, in each of them.
  ONEFOLD_DEVICE void fold(int lanes) {
    ONEFOLD_ROLLED
    for (int step = 1; step < lanes; step *= 2) {
      double_row_lane other = *this;
      other.sums_.all = sum_across(sums_.all, step);
      other.sums_.squares = sum_across(sums_.squares, step);
      other.least_ = __shfl_xor_sync(whole_warp, least_, step);
      other.farthest_ = __shfl_xor_sync(whole_warp, farthest_, step);
      other.differing_ = __shfl_xor_sync(whole_warp, differing_, step);
      join(other);
    }
  }

  ONEFOLD_DEVICE const double_word_moments& sums() const { return sums_; }
  ONEFOLD_DEVICE double shift() const { return shift_; }
  ONEFOLD_DEVICE bool distances_are_exact(const double_row_limits& limits) const {
    return shift_ == 0 || farthest_ <= limits.farthest;
  }
  ONEFOLD_DEVICE bool squares_are_exact(const double_row_limits& limits) const {
    return least_ >= limits.least;
  }
  /// Whether all elements are one finite number.
  ONEFOLD_DEVICE bool is_constant() const {
    return differing_ == 0 && (high(first_) & 0x7FF00000) != 0x7FF00000;
  }

 private:
  static constexpr std::uint32_t near_words = double_row_limits::one_binade >> 14;

  ONEFOLD_DEVICE static std::uint32_t high(std::uint64_t bits) { return std::uint32_t(bits >> 32); }

  std::uint64_t first_;
  double shift_;
  double_word_moments sums_;
  std::uint32_t least_ = 0xFFFFFFFF, farthest_ = 0, differing_ = 0;
};

/// What all answers of a request have in common.
struct double_row_answers : double_moments_answers {
  double_row_limits limits;

  ONEFOLD_HOST_DEVICE explicit double_row_answers(const nested_request& of,
                                                  const double_row_limits& asked = {})
      : double_moments_answers(of.items, of.finish.correction), limits(asked) {}

  using double_moments_answers::write;
  /// Whether all that is asked of answer k is certified, and then written by the lane that
  /// `writes`.
  ONEFOLD_DEVICE bool write(const finish_list& finish, const double_row_lane& row, std::int64_t k,
                            bool writes) const {
    if (!row.distances_are_exact(limits)) return false;
    return write(finish, row.sums(), row.shift(), row.squares_are_exact(limits), row.is_constant(),
                 k, writes);
  }
};

/// The second attempt at answer k, by a warp: the shift is the row's first element, and distances
/// are d + e, exactly, so that (d + e)^2 = d^2 + 2 d e + e^2.
ONEFOLD_COLD inline bool write_split_distances(const nested_request& of,
                                               const double_row_answers& answers, std::int64_t k) {
  const nest_piece piece(of, k);
  const auto* const x = reinterpret_cast<const double*>(of.x + piece.base.x);
  const double first = x[0], shift = first == 0 ? 0 : first;  // of -0 elements stay -0
  double_word_moments sums;
  bool exact = true;
  ONEFOLD_UNROLL_BY_4
  for (std::int64_t r = lane_index(); r < of.items; r += warp_lanes) {
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
  return answers.write(of.finish, sums, shift, !any_lane(!exact), false, k, lane_index() == 0);
}

/// Shape:  a request and what moment_rows_of says of it, of elements of f64; block of
///         32 row_tile_warps, any grid; dynamic shared memory for the stages of each warp.
/// Error:  none: answers as on the host.
/// Order:  none: the same answers in every run and grid.
static __global__ void __launch_bounds__(row_tile_warps* warp_lanes, double_row_blocks)
    nested_double_moment_rows(ONEFOLD_KERNEL_ARGUMENT nested_request of,
                              ONEFOLD_KERNEL_ARGUMENT moment_rows by,
                              ONEFOLD_KERNEL_ARGUMENT double_row_answers answers) {
  using state = detail::moments<double>;
  static_assert((state::words + finish_space_words<state>)*8 <= row_stages_bytes);
  ONEFOLD_DYNAMIC_SHARED(std::int64_t, shared);
  __shared__ int ambiguous[row_tile_warps][(row_tile_groups + 1) * warp_lanes];
  const unsigned warp = threadIdx.x / warp_lanes;
  std::int64_t* const stages = shared + warp * (row_stages_bytes / 8);
  const auto again = [&](std::int64_t from, const int* noted, unsigned count) {
    ONEFOLD_ROLLED
    for (unsigned i = 0; i < count; ++i) {
      const std::int64_t k = from + noted[i];
      __syncwarp();  // another lane may have written some answers
      if (!write_split_distances(of, answers, k)) finish_exact_moments<double>(of, k, stages);
    }
  };
  const auto make = [](std::uint64_t first, std::uint64_t last) {
    return double_row_lane(first, last);
  };
  const auto write = [&](const auto& row, std::int64_t k, bool writes) {
    return answers.write(of.finish, row, k, writes);
  };
  if (by.rows.vectors)
    reduce_moment_rows<double, true>(of, by.rows, make, write, stages, ambiguous[warp], again);
  else
    reduce_moment_rows<double, false>(of, by.rows, make, write, stages, ambiguous[warp], again);
}

}  // namespace onefold::cuda
