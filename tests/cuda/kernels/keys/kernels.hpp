// SPDX-License-Identifier: Apache-2.0
#pragma once
// The kernels of runs of keys under the executor.

#include "cuda/kernels/keys/scatter/scatter_launch.hpp"
#include "cuda/kernels/keys/table.hpp"
#include "simt/launch.hpp"

namespace onefold::test {

void run_key_counts(simt::executor& device, const cuda::key_list& keys, std::int64_t* words,
                    std::uint32_t* bits);
void run_key_runs(simt::executor& device, const cuda::key_list& list, const std::int64_t* words,
                  const std::uint32_t* bits, std::int64_t* offsets, void* keys);

void run_ordinals(simt::executor& device, const cuda::key_list& keys, std::uint64_t* ordinals,
                  std::uint32_t* places);
void run_gather(simt::executor& device, const void* from, int item_bytes,
                const std::uint32_t* places, std::int64_t n, void* to);
void run_own_places(simt::executor& device, std::int64_t* at, std::int64_t n,
                    const std::uint32_t* places, std::int64_t first_index);

/// The sums of a column in its table, if it gets one.
void run_column(simt::executor& device, const cuda::scatter_launch& launch, simt::schedule order);
/// As launch_scatter, of lists that are there.
void run_scatter(simt::executor& device, const cuda::scatter_launch& launch, simt::schedule order);
/// The ranks and counts, or, with places, the lists.
void run_lists(simt::executor& device, const cuda::scatter_launch& launch, bool places,
               simt::schedule order);

/// As the launchers of table.hpp, but for the places, which lie between the two.
void run_key_extents(simt::executor& device, const cuda::key_elements& elements,
                     cuda::key_extents* to);
void run_key_sums(simt::executor& device, const cuda::key_elements& elements,
                  const cuda::key_table& table);
void run_key_answers(simt::executor& device, const cuda::key_elements& elements,
                     const cuda::key_table& table, bool is_mean, dtype output, void* answers,
                     void* keys);

}  // namespace onefold::test
