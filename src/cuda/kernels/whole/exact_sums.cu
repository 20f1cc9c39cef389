// SPDX-License-Identifier: Apache-2.0
// Exact reductions of whole arrays of floating elements.

#include "cuda/kernels/whole/exact_sums.cuh"
#include "cuda/kernels/whole/start.cuh"
#include "cuda/kernels/whole/window_sum.cuh"

#include <algorithm>

namespace onefold::cuda {
namespace {

template <class T>
int start_window(const whole_request& r, grid_shape grid, cudaStream_t stream) {
  const auto* const x = static_cast<const T*>(r.x);
  const auto n = unsigned(r.n);
  const bool one = n / vector_items<T> <= grid.blocks * grid.threads;
  if (one && grid.blocks == 1) {
    constexpr unsigned item = sizeof(std::int64_t);
    sum_by_window<T>
        <<<1, grid.threads, exact_shared_words<accumulator::total, T>(grid.threads) * item,
           stream>>>(x, n, r.finish);
    return int(cudaGetLastError());
  }
  cudaLaunchAttribute cluster = {};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim = {grid.blocks, 1, 1};
  cudaLaunchConfig_t config = {};
  config.gridDim = grid.blocks, config.blockDim = grid.threads, config.stream = stream;
  config.dynamicSmemBytes =
      cluster_window_words<T>(grid.threads, grid.blocks) * sizeof(std::int64_t);
  if (grid.blocks > 1) config.attrs = &cluster, config.numAttrs = 1;
  const auto kernel = one ? sum_by_cluster<T, 1> : sum_by_cluster<T, most_window_vectors>;
  return int(cudaLaunchKernelEx(&config, kernel, x, n, r.finish));
}

template <accumulator Accumulator, class T, class Lanes = usual_lanes>
struct floating_kernels {
  using traits = terms<Accumulator, T, Lanes>;
  // 640 lanes are halved twice: then they are no multiple of 32.
  static constexpr unsigned threads = whole_threads<Accumulator, T>,
                            blocks_each = whole_blocks_each<Accumulator, T, Lanes>,
                            least_threads = threads % 512 == 128 ? threads / 4 : few_threads;
  static constexpr bool pairs_of_vectors = true;
  static constexpr unsigned shared_words(unsigned block) {
    return exact_shared_words<Accumulator, T>(block);
  }

  template <second Second>
  static void start(const whole_request& r, grid_shape grid, unsigned shared,
                    grid_workspace<traits::words>* workspace, std::int64_t* words,
                    cudaStream_t stream) {
    exact_whole<Accumulator, T, Second, all_checks, unwatched, Lanes>
        <<<grid.blocks, grid.threads, shared, stream>>>(static_cast<const T*>(r.x),
                                                        static_cast<const T*>(r.y), r.n, workspace,
                                                        words, unwatched(), r.finish);
  }
};

/// With lanes of float32 where that is another kernel.
template <accumulator Accumulator>
whole_entry entry_of_type(dtype input, sum_lanes lanes) {
  if constexpr (!has_products<Accumulator>) {
    if (lanes == sum_lanes::float32 && input == dtype::f16)
      return entry_of<floating_kernels<Accumulator, f16, float_lanes>>();
    if (lanes == sum_lanes::float32 && input == dtype::f32)
      return entry_of<floating_kernels<Accumulator, float, float_lanes>>();
  }
  return with_floating<whole_entry>(
      input, []<class T>(detail::tag<T>) { return entry_of<floating_kernels<Accumulator, T>>(); });
}

}  // namespace

int launch_window(const whole_request& request, grid_shape grid, void* stream) {
  return with_floating<int>(request.input, [&]<class T>(detail::tag<T>) {
    return start_window<T>(request, grid, static_cast<cudaStream_t>(stream));
  });
}

unsigned find_window_blocks() {
  constexpr unsigned portable = 8;
  // All kernels of a window are compiled alike.
  const auto kernel = sum_by_cluster<float, most_window_vectors>;
  cudaFuncAttributes found = {};
  // One compiled for older devices has no clusters, on any device.
  if (cudaFuncGetAttributes(&found, kernel) != cudaSuccess ||
      std::min(found.ptxVersion, found.binaryVersion) < 90)
    return cudaGetLastError(), 1;
  bool all = true;
  for (const dtype input : {dtype::f16, dtype::bf16, dtype::f32, dtype::f64})
    with_floating<int>(input, [&]<class T>(detail::tag<T>) {
      constexpr auto larger = cudaFuncAttributeNonPortableClusterSizeAllowed;
      all = all && cudaFuncSetAttribute(sum_by_cluster<T, 1>, larger, 1) == cudaSuccess &&
            cudaFuncSetAttribute(sum_by_cluster<T, most_window_vectors>, larger, 1) == cudaSuccess;
      return 0;
    });
  cudaLaunchAttribute cluster = {};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim = {most_window_blocks, 1, 1};
  cudaLaunchConfig_t config = {};
  config.gridDim = most_window_blocks, config.blockDim = most_window_threads;
  config.dynamicSmemBytes =
      cluster_window_words<float>(most_window_threads, most_window_blocks) * sizeof(std::int64_t);
  config.attrs = &cluster, config.numAttrs = 1;
  int clusters = 0;
  if (!all || cudaOccupancyMaxActiveClusters(&clusters, kernel, &config) != cudaSuccess ||
      clusters < 1)
    return cudaGetLastError(), portable;
  return most_window_blocks;
}

whole_entry floating_entry(accumulator kind, dtype input, sum_lanes lanes) {
  if (kind == accumulator::moments) return moments_entry(input);
  const auto made = with_sum<whole_entry>(
      kind, [&]<accumulator Of>(sum_tag<Of>) { return entry_of_type<Of>(input, lanes); });
  return kind == accumulator::squares ? with_quick(made, input) : made;
}

}  // namespace onefold::cuda
