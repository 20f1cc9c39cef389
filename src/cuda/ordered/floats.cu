// SPDX-License-Identifier: Apache-2.0
// Products and sums of exponentials of whole arrays of floats.

#include "cuda/ordered/cluster_launch.cuh"
#include "cuda/ordered/log_sum.cuh"
#include "cuda/ordered/log_sum_trees.cuh"
#include "cuda/ordered/log_sum_windows.cuh"
#include "cuda/ordered/ordered.hpp"
#include "cuda/ordered/product.cuh"
#include "cuda/parts/element_kind.hpp"

#include <algorithm>

namespace onefold::cuda {
namespace {

template <class T>
int launch_products(const full_request& of, unsigned blocks, std::int64_t* words, void* stream) {
  constexpr unsigned for_each_block = 4;  // these blocks are a quarter of the others
  product_chunks<T>
      <<<blocks * for_each_block, virtual_lanes, 0, static_cast<cudaStream_t>(stream)>>>(
          static_cast<const T*>(of.x), of.n, words);
  return int(cudaGetLastError());
}

/// Blocks that hold a chunk together, 64 or 128 KiB each.
template <class T>
inline constexpr int usual_cluster = sizeof(T) == 8 ? 4 : 2;

/// As many stages as there is room for; none where a chunk cannot be held.
template <class T>
row_ring_shape ring_shape_for(const T* x, int cluster) {
  const bool aligned = reinterpret_cast<std::uintptr_t>(x) % 16 == 0;
  row_ring_shape shape = {0, row_stage_vectors + (aligned ? 0 : 1)};
  const int space = most_shared_bytes() - log_sum_bytes(cluster, shape);
  const int fit = space / row_ring_bytes(cluster, {1, shape.vectors});
  if (fit >= least_stages<T>(cluster)) shape.stages = std::min(fit, most_stages<T>(cluster));
  return shape;
}

/// Clusters resident at a time with the most shared memory, to which this opts in; 0: none.
template <class T>
int clusters_at_once(int bytes) {
  static known_counts known;
  return known.count([bytes] {
    if (!supports_clusters(log_sum_chunks<T>)) return 0;
    if (cudaFuncSetAttribute(log_sum_chunks<T>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             most_shared_bytes()) != cudaSuccess)
      return cudaGetLastError(), 0;
    cluster_launch usual(usual_cluster<T>, log_sum_threads, bytes, nullptr);
    return usual.at_once(log_sum_chunks<T>);
  });
}

/// A cluster is slower to start: of f64 64 KiB take 19 µs, not 13.
template <class T>
constexpr bool is_small(std::int64_t n) {
  return sizeof(T) == 8 && n < tuning::chunk_items / 2;
}

/// Chunks from which on they are read once, by a block each: of fewer one takes too long.
constexpr std::int64_t least_windowed_chunks = device_tree_chunks;

/// Whether the kernel was launched.
template <class T>
bool launch_windows(const full_request& of, std::int64_t* words, void* stream) {
  const std::int64_t chunks = (of.n + tuning::chunk_items - 1) / tuning::chunk_items;
  if constexpr (sizeof(T) < 8) {
    constexpr std::int64_t most_blocks = std::int64_t(1) << 20;
    if (chunks < least_windowed_chunks) return false;
    log_sum_windows<T>
        <<<unsigned(std::min(chunks, most_blocks)), window_threads, 0,
           static_cast<cudaStream_t>(stream)>>>(static_cast<const T*>(of.x), of.n, words);
  }
  return sizeof(T) < 8;
}

template <class T>
int launch_log_sums(const full_request& of, unsigned blocks, std::int64_t* words, void* stream) {
  const auto* const x = static_cast<const T*>(of.x);
  const bool only_left = launch_windows<T>(of, words, stream);
  if (const cudaError_t code = cudaGetLastError(); code != cudaSuccess) return int(code);
  const row_ring_shape shape = ring_shape_for(x, usual_cluster<T>);
  const int bytes = log_sum_bytes(usual_cluster<T>, shape);
  const int clusters = shape.stages > 0 && !is_small<T>(of.n) ? clusters_at_once<T>(bytes) : 0;
  if (clusters == 0)
    return cluster_launch(1, chunk_threads, sizeof(twice_read_memory<T>), stream)
        .start(log_sum_chunks<T>, blocks, x, of.n, words, row_ring_shape{0, 0}, only_left);
  const std::int64_t chunks = (of.n + tuning::chunk_items - 1) / tuning::chunk_items;
  return cluster_launch(usual_cluster<T>, log_sum_threads, bytes, stream)
      .start(log_sum_chunks<T>, std::min<std::int64_t>(chunks, clusters), x, of.n, words, shape,
             only_left);
}

}  // namespace

ordered_entry ordered_float_entry(accumulator of, dtype input) {
  return with_floating<ordered_entry>(input, [&]<class T>(detail::tag<T>) -> ordered_entry {
    if (of == accumulator::product) return {product_lane::words, launch_products<T>};
    if (of == accumulator::log_sum) return {log_sum_chunk_words, launch_log_sums<T>, log_sum_words};
    return {};
  });
}

int launch_log_sum_trees(const std::int64_t* words, std::int64_t n, std::int64_t* to,
                         unsigned* ticket, const finish_list& list, void* stream) {
  const std::int64_t chunks = (n + tuning::chunk_items - 1) / tuning::chunk_items;
  const auto blocks = std::max(unsigned(trees_of_chunks(chunks)), 1u);
  log_sum_trees<<<blocks, warp_lanes, 0, static_cast<cudaStream_t>(stream)>>>(words, n, to, ticket,
                                                                              list);
  return int(cudaGetLastError());
}

}  // namespace onefold::cuda
