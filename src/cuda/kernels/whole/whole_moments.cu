// SPDX-License-Identifier: Apache-2.0
// Exact moments of whole arrays.

#include "cuda/accumulators/bool_bytes.cuh"
#include "cuda/kernels/whole/quick.cuh"
#include "cuda/kernels/whole/quick_doubles.cuh"
#include "cuda/kernels/whole/start.cuh"
#include "cuda/kernels/whole/whole_integers.cuh"
#include "cuda/kernels/whole/whole_moments.cuh"
#include "onefold/detail/exact_moments.hpp"

namespace onefold::cuda {
namespace {

template <class T>
struct floating_kernels {
  using traits = moment_terms<T>;
  static constexpr unsigned threads = moment_threads<T>, blocks_each = 1,
                            least_threads = threads / 4;
  static constexpr bool pairs_of_vectors = false;
  static constexpr unsigned shared_words(unsigned block) { return moments_shared_words<T>(block); }

  template <second>
  static void start(const whole_request& r, grid_shape grid, unsigned shared,
                    grid_workspace<traits::words>* workspace, std::int64_t* words,
                    cudaStream_t stream) {
    exact_moments_whole<T, all_checks><<<grid.blocks, grid.threads, shared, stream>>>(
        static_cast<const T*>(r.x), r.n, workspace, words, unwatched(), r.finish);
  }
};

template <class T>
struct integer_kernels {
  using traits = integer_moment_terms<T>;
  static constexpr unsigned threads = usual_threads, blocks_each = usual_blocks_each,
                            least_threads = usual_threads;
  static constexpr bool pairs_of_vectors = false;
  static constexpr unsigned shared_words(unsigned block) {
    return whole_shared_words<traits::words, typename traits::state>(block);
  }

  template <second>
  static void start(const whole_request& r, grid_shape grid, unsigned shared,
                    grid_workspace<traits::words>* workspace, std::int64_t* words,
                    cudaStream_t stream) {
    exact_integer_moments<T><<<grid.blocks, grid.threads, shared, stream>>>(
        static_cast<const T*>(r.x), r.n, workspace, words, r.finish);
  }
};

int launch_quick(const whole_request& r, unsigned blocks, void* workspace, std::int64_t* decided,
                 void* stream) {
  auto* const queue = static_cast<cudaStream_t>(stream);
  const quick_arguments arguments = {
      r.x, r.input, r.n, r.accumulator == accumulator::squares, workspace, decided, r.finish};
  if (r.input == dtype::f64)
    quick_doubles<anchored_proof>
        <<<(blocks - 1) / 2 + 1, folds::most_threads, 0, queue>>>(arguments);
  else
    quick_whole<<<blocks, folds::most_threads, 0, queue>>>(arguments);
  return int(cudaGetLastError());
}

}  // namespace

whole_entry moments_entry(dtype input) {
  return with_type(input, []<class T>(detail::tag<T>) {
    if constexpr (std::is_same_v<T, bool>)
      return entry_of<integer_kernels<bool_byte>>();
    else if constexpr (std::is_integral_v<T>)
      return entry_of<integer_kernels<T>>();
    else
      return with_quick(entry_of<floating_kernels<T>>(), dtype_of<T>);
  });
}

whole_entry with_quick(whole_entry made, dtype input) {
  const std::size_t bytes = input == dtype::f64 ? quick_doubles_bytes : quick_workspace_bytes;
  made.workspace_bytes = std::max(made.workspace_bytes, bytes);
  made.launch_quick = launch_quick;
  return made;
}

}  // namespace onefold::cuda
