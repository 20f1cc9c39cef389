// SPDX-License-Identifier: Apache-2.0
#pragma once
// Variances, deviations, sums of squares and norms of whole arrays of f64 by anchored sums
// (accumulators/anchored_moments.cuh). What they leave ambiguous is the exact kernel's, as in
// quick.cuh.

#include "cuda/accumulators/anchored_moments.cuh"
#include "cuda/kernels/whole/one_launch.cuh"
#include "cuda/kernels/whole/quick.hpp"
#include "cuda/rounding/double_moments_answers.cuh"

namespace onefold::cuda {

/// A lane's share.
template <class Proof>
class quick_doubles_fold {
 public:
  using element = double;
  using lane = anchored_moments<Proof>;
  static constexpr int partial_words = lane::parts;

  ONEFOLD_DEVICE explicit quick_doubles_fold(const lane& nothing) : lane_(nothing) {}

  template <unsigned Vectors>
  ONEFOLD_DEVICE void take(const uint4 (&v)[Vectors], std::int64_t) {
    std::uint64_t some[2 * Vectors];
    ONEFOLD_UNROLL
    for (unsigned i = 0; i < 2 * Vectors; ++i)
      some[i] = folds::element_bits<double>(v[i / 2], i % 2);
    lane_.add(some);
  }
  ONEFOLD_DEVICE void take_one(std::uint64_t x, std::int64_t) { lane_.add(x); }

  ONEFOLD_DEVICE void store(std::int64_t* to) {
    lane_.end();
    lane_.write(to);
  }
  ONEFOLD_DEVICE void clear(std::int64_t* to) const { lane_.none().write(to); }
  ONEFOLD_DEVICE void merge(std::int64_t* into, const std::int64_t* from) const {
    lane both = lane_.none(), other = both;
    both.read(into), other.read(from);
    both.join(other);
    both.write(into);
  }
  ONEFOLD_DEVICE lane all(const std::int64_t* words) const {
    lane made = lane_.none();
    made.read(words);
    return made;
  }

 private:
  lane lane_;
};

/// Whether the elements of x[n] are likely to be near the first one. Equal ones may be few among
/// others that are far apart.
ONEFOLD_DEVICE bool are_near(const double* x, std::int64_t n) {
  using lane = anchored_moments<>;
  const std::uint64_t first = bits_at(x), middle = bits_at(x + n / 2), last = bits_at(x + n - 1);
  return lane::are_near<12>(first, middle) && lane::are_near<12>(first, last) &&
         (first != middle || first != last);
}

inline constexpr std::size_t quick_doubles_bytes =
    folds::workspace_of<quick_doubles_fold<anchored_proof>>;

/// As quick_whole, of f64; answers of f64 too.
template <class Proof>
__global__ void __launch_bounds__(folds::most_threads, 1)
    quick_doubles(ONEFOLD_KERNEL_ARGUMENT quick_arguments arguments) {
  using fold = quick_doubles_fold<Proof>;
  __shared__ std::int64_t warps[folds::most_threads / warp_lanes * fold::partial_words];
  __shared__ bool is_last;
  const auto* const x = static_cast<const double*>(arguments.x);
  // The shift of squares is 0.
  fold share(typename fold::lane(bits_at(x), !arguments.squares && are_near(x, arguments.n)));
  folds::sweep(folds::vectors<double>(x, arguments.n), share);
  folds::partial_words<fold> partial;
  share.store(partial.word);
  if (!folds::fold_grid(share, partial, arguments.workspace, warps, is_last) || threadIdx.x != 0)
    return;
  const double_moments_answers answers(arguments.n, arguments.squares ? arguments.n - 1
                                                                      : arguments.list.correction);
  const typename fold::lane all = share.all(partial.word);
  const bool certified =
      answers.write(arguments.list, all.sums(), all.shift(), true, all.is_constant(), 0, true);
  *arguments.decided = certified;
  if (certified) report(status_code::ok, arguments.list);
}

}  // namespace onefold::cuda
