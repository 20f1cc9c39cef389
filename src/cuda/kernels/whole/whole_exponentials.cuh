// SPDX-License-Identifier: Apache-2.0
#pragma once
// Logarithms of exponentials of whole arrays. One launch adds up and certifies nearly all answers
// (accumulators/exponential_terms.cuh); the exact sum takes two more, which otherwise do nothing.

#include "cuda/kernels/strided/exponentials/shared_exponentials.cuh"
#include "cuda/kernels/whole/one_launch.cuh"
#include "cuda/kernels/whole/quick.hpp"

namespace onefold::cuda {

/// A lane's share.
template <class T>
class exponential_fold {
 public:
  using element = T;
  using sums = std::conditional_t<sizeof(T) == 8, double_exponentials, plain_exponentials>;
  using lane = exponential_lane<T, sums>;
  static constexpr int partial_words = sums::parts;

  ONEFOLD_DEVICE explicit exponential_fold(const lane& nothing) : lane_(nothing) {}

  template <unsigned Vectors>
  ONEFOLD_DEVICE void take(const uint4 (&v)[Vectors], std::int64_t) {
    ONEFOLD_UNROLL
    for (unsigned i = 0; i < Vectors; ++i) {
      if constexpr (sizeof(T) == 8)
        lane_.add_vector({folds::element_bits<T>(v[i], 0), folds::element_bits<T>(v[i], 1)});
      else
        lane_.add_vector(v[i]);
    }
  }
  ONEFOLD_DEVICE void take_one(folds::bits_of<T> x, std::int64_t) { lane_.add(x); }

  ONEFOLD_DEVICE void store(std::int64_t* to) const { write_sum(lane_, to, 1); }
  ONEFOLD_DEVICE static void clear(std::int64_t* to) {
    for (int i = 0; i < partial_words; ++i) to[i] = 0;
  }
  ONEFOLD_DEVICE static void merge(std::int64_t* into, const std::int64_t* from) {
    sums both = read_sum<sums>(into, 1);
    both.join(read_sum<sums>(from, 1));
    write_sum(both, into, 1);
  }
  ONEFOLD_DEVICE double middle() const { return lane_.middle(); }
  /// Additions one after another, at most, of n elements of which every lane of the grid takes
  /// some: those of two edges and a tile, of tiles, and of trees.
  ONEFOLD_DEVICE static double additions(std::int64_t n) {
    constexpr double tile = folds::loads_in_flight * folds::vector_items<T>;
    return 3 * tile + double(n) / (folds::vector_items<T> * double(gridDim.x) * blockDim.x) +
           gridDim.x / blockDim.x + 24;
  }

 private:
  lane lane_;
};

template <class T>
ONEFOLD_DEVICE void decide_exponentials(const quick_arguments& arguments, std::int64_t* warps,
                                        bool& is_last) {
  using fold = exponential_fold<T>;
  const auto* const x = static_cast<const T*>(arguments.x);
  fold share(typename fold::lane(bits_at(x)));
  folds::sweep(folds::vectors<T>(x, arguments.n), share);
  folds::partial_words<fold> partial;
  share.store(partial.word);
  if (!folds::fold_grid(share, partial, arguments.workspace, warps, is_last) || threadIdx.x != 0)
    return;
  const exponential_answers answers(arguments.n, share.additions(arguments.n));
  const bool certified = answers.write(read_sum<typename fold::sums>(partial.word, 1),
                                       share.middle(), arguments.input, arguments.list, 0, true);
  *arguments.decided = certified;
  if (certified) report(status_code::ok, arguments.list);
}

template <class T>
inline constexpr std::size_t quick_exponential_bytes = folds::workspace_of<exponential_fold<T>>;

/// Shape:  n > 0 elements of T; blocks of a multiple of 32 lanes, at most most_threads; at most
///         most_blocks of them.
/// Error:  none: answers as on the host.
/// Order:  none: the same answers in every run and grid.
template <class T>
__global__ void __launch_bounds__(folds::most_threads, folds::blocks_each)
    quick_exponentials(ONEFOLD_KERNEL_ARGUMENT quick_arguments arguments) {
  __shared__ std::int64_t
      warps[folds::most_threads / warp_lanes * exponential_fold<T>::partial_words];
  __shared__ bool is_last;
  write_tables();
  decide_exponentials<T>(arguments, warps, is_last);
}

/// A whole array, cut into pieces; its answers, if the list asks for some.
struct whole_exponentials {
  strided_request request;
  exponential_record* record;  ///< zero before and after
  std::int64_t* words;         ///< of the state, or null
};

/// Of the first step; of the second one it writes what the pieces add up to.
template <class Wide>
ONEFOLD_DEVICE void take_whole_pieces(const whole_exponentials& a, bool surveys,
                                      std::int64_t* own) {
  constexpr unsigned warps = strided_threads / warp_lanes, words = exponential_words::all;
  const std::int64_t n = counted_items(a.request.items, a.request.finish);
  ONEFOLD_ROLLED
  for (std::int64_t at = std::int64_t(blockIdx.x) * warps + threadIdx.x / warp_lanes;
       at < a.request.pieces; at += std::int64_t(gridDim.x) * warps) {
    nest_piece piece(a.request, at);
    piece.last = min(piece.last, n);
    if (surveys) {
      survey_piece<Wide>(a.request, piece, a.record);
      continue;
    }
    if (!add_exact_piece<Wide>(a.request, piece, a.record, own)) continue;
    for (unsigned i = lane_index(); i < words; i += warp_lanes) {
      if (a.words != nullptr) a.words[i] = own[i];
      a.record->words[i] = 0;
    }
    if (lane_index() == 0) {
      a.record->done = a.record->largest = 0;
      if (a.request.finish.size > 0)
        report(finish_exponentials<Wide>(own, a.request.finish, 0, own + words), a.request.finish);
    }
    __syncwarp();
  }
}

/// Shape:  n >= 0 contiguous elements, aligned; words[exponential_words::all]; block of
///         strided_threads, any grid. First with `surveys`.
/// Error:  none: words and answers as on the host.
/// Order:  none: the same ones in every run and grid.
static __global__ void __launch_bounds__(strided_threads)
    exact_exponentials(ONEFOLD_KERNEL_ARGUMENT whole_exponentials a, bool surveys) {
  __shared__ std::int64_t shared[strided_threads / warp_lanes][exponential_space_words];
  if (is_decided(a.request.finish)) return;
  write_tables();
  std::int64_t* const own = shared[threadIdx.x / warp_lanes];
  if (a.request.input < dtype::f16 || a.request.input == dtype::f64)
    take_whole_pieces<double>(a, surveys, own);
  else
    take_whole_pieces<float>(a, surveys, own);
}

}  // namespace onefold::cuda
