// SPDX-License-Identifier: Apache-2.0
// Exact moments of whole arrays.

#include "cuda/exact/bool_bytes.cuh"
#include "cuda/full/integers.cuh"
#include "cuda/full/moments.cuh"
#include "cuda/full/start.cuh"
#include "onefold/detail/exact_moments.hpp"

namespace onefold::cuda {
namespace {

template <class T>
struct floating_kernels {
  using of = moment_terms<T>;
  static constexpr unsigned threads = moment_threads<T>, blocks_each = 1,
                            least_threads = threads / 4;
  static constexpr bool pairs_of_vectors = false;
  static constexpr unsigned shared_words(unsigned block) { return moments_shared_words<T>(block); }

  template <second>
  static void start(const full_request& r, grid_shape grid, unsigned shared,
                    grid_workspace<of::words>* workspace, std::int64_t* words,
                    cudaStream_t stream) {
    exact_moments_full<T, all_checks><<<grid.blocks, grid.threads, shared, stream>>>(
        static_cast<const T*>(r.x), r.n, workspace, words, unwatched(), r.finish);
  }
};

template <class T>
struct integer_kernels {
  using of = integer_moment_terms<T>;
  static constexpr unsigned threads = usual_threads, blocks_each = usual_blocks_each,
                            least_threads = usual_threads;
  static constexpr bool pairs_of_vectors = false;
  static constexpr unsigned shared_words(unsigned block) {
    return full_shared_words<of::words, typename of::state>(block);
  }

  template <second>
  static void start(const full_request& r, grid_shape grid, unsigned shared,
                    grid_workspace<of::words>* workspace, std::int64_t* words,
                    cudaStream_t stream) {
    exact_integer_moments<T><<<grid.blocks, grid.threads, shared, stream>>>(
        static_cast<const T*>(r.x), r.n, workspace, words, r.finish);
  }
};

}  // namespace

full_entry moments_entry(dtype input) {
  return with_type(input, []<class T>(detail::tag<T>) {
    if constexpr (std::is_same_v<T, bool>)
      return entry_of<integer_kernels<bool_byte>>();
    else if constexpr (std::is_integral_v<T>)
      return entry_of<integer_kernels<T>>();
    else
      return entry_of<floating_kernels<T>>();
  });
}

}  // namespace onefold::cuda
