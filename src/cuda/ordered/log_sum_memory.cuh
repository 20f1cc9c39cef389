// SPDX-License-Identifier: Apache-2.0
#pragma once
// The shared memory of a cluster that adds up exponentials, and its size.

#include "cuda/ordered/row_ring.cuh"
#include "cuda/parts/exponential_terms.cuh"

namespace onefold::cuda {

inline constexpr unsigned log_sum_threads = (row_warps + 1) * warp_lanes;
/// Stages of a warp that are on their way at least while the next one is searched.
inline constexpr int stages_on_their_way = 1;

/// Sums are added up while those of the two next chunks are written; ranks take chunks in turn.
inline constexpr int most_sums_kept = 3;
ONEFOLD_HOST_DEVICE constexpr int sums_kept(int cluster) {
  return (most_sums_kept + cluster - 1) / cluster;
}

/// Shared memory of a thread block; after it are the sums of blocks of rows, and the rings.
template <class T>
struct alignas(128) log_sum_memory {
  exponential_sum<T> rest[virtual_lanes];  // of the array's last row, if it is not whole
  // Of every block of rows of the cluster's chunk, of two chunks: least and largest place.
  std::int64_t ends[2][row_blocks_of_chunk][2];
  std::int64_t tops[row_blocks_of_chunk][2];  // where there are NaNs: largest place, NaNs
  cluster_mbarrier ends_mbarriers[2], tops_mbarrier, sums_mbarriers[most_sums_kept];
  term_powers powers;
};
inline constexpr int ends_bytes = row_blocks_of_chunk * 2 * int(sizeof(std::int64_t));

/// The sums of a chunk's blocks of rows.
template <class T>
struct chunk_sums {
  exponential_sum<T> of[row_blocks_of_chunk][virtual_lanes];
};
ONEFOLD_HOST_DEVICE constexpr int log_sum_bytes(int cluster, row_ring_shape shape) {
  // Of any T.
  return int(sizeof(log_sum_memory<float>)) + sums_kept(cluster) * int(sizeof(chunk_sums<float>)) +
         row_ring_bytes(cluster, shape);
}
/// The stages that a ring has where a chunk is held, at least; there is no use for more than
/// `most`.
template <class T>
ONEFOLD_HOST_DEVICE constexpr int least_stages(int cluster) {
  const int blocks = (row_blocks_of_chunk + row_block_step(cluster) - 1) / row_block_step(cluster);
  return blocks * stages_of_rows<T> + stages_on_their_way;
}
template <class T>
ONEFOLD_HOST_DEVICE constexpr int most_stages(int cluster) {
  return 2 * (least_stages<T>(cluster) - stages_on_their_way);
}

}  // namespace onefold::cuda
