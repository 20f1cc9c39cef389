// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the blocks of a team share that adds up exponentials, and how much of it there is.

#include "cuda/ordered/row_ring.cuh"
#include "cuda/parts/exponential_terms.cuh"

namespace onefold::cuda {

inline constexpr unsigned log_sum_threads = (row_warps + 1) * warp_lanes;
/// Stages of a warp that are on their way at least while the next one is searched.
inline constexpr int stages_on_their_way = 1;

/// What a block of threads shares; behind it are the sums of blocks of rows, and the rings.
template <class T>
struct alignas(128) log_sum_memory {
  exponential_sum<T> rest[virtual_lanes];  // of the array's last row, if it is not whole
  // Of every block of rows of the team's chunk, of two chunks: least and largest place.
  std::int64_t ends[2][row_blocks_of_chunk][2];
  std::int64_t tops[row_blocks_of_chunk][2];  // where there are NaNs: largest place, NaNs
  team_mail ends_mail[2], tops_mail, sums_mail[3];
  term_powers powers;
};
inline constexpr int ends_bytes = row_blocks_of_chunk * 2 * int(sizeof(std::int64_t));

/// The sums of a chunk's blocks of rows.
template <class T>
struct chunk_sums {
  exponential_sum<T> of[row_blocks_of_chunk][virtual_lanes];
};
/// Sums are added up while those of the two chunks behind are written; ranks take chunks by turns.
ONEFOLD_HOST_DEVICE constexpr int sums_kept(int team) {
  return (3 + team - 1) / team;
}
ONEFOLD_HOST_DEVICE constexpr int log_sum_bytes(int team, row_ring_shape shape) {
  // Of any T.
  return int(sizeof(log_sum_memory<float>)) + sums_kept(team) * int(sizeof(chunk_sums<float>)) +
         row_ring_bytes(team, shape);
}
/// The stages that a ring has where a chunk is held, at least; there is no use for more than
/// `most`.
template <class T>
ONEFOLD_HOST_DEVICE constexpr int least_stages(int team) {
  const int blocks = (row_blocks_of_chunk + row_block_step(team) - 1) / row_block_step(team);
  return blocks * stages_of_rows<T> + stages_on_their_way;
}
template <class T>
ONEFOLD_HOST_DEVICE constexpr int most_stages(int team) {
  return 2 * (least_stages<T>(team) - stages_on_their_way);
}

}  // namespace onefold::cuda
