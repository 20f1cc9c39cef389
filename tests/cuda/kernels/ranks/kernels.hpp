// SPDX-License-Identifier: Apache-2.0
// The kernels that exchange states, compiled for the executor.
#pragma once

#include "cuda/kernels/ranks/additive.hpp"
#include "cuda/kernels/ranks/rank_extrema.hpp"
#include "cuda/kernels/ranks/shares.hpp"
#include "simt/launch.hpp"

namespace onefold::cuda::test {

/// As launch_write_group_bands, launch_write_groups and launch_round_groups, by so many blocks.
/// False: there is no kernel.
void write_group_bands(simt::executor& gpu, const group_request& request, const std::int64_t* words,
                       std::int64_t pieces, std::int64_t* bands, unsigned blocks);
bool write_groups(simt::executor& gpu, const group_request& request, const std::int64_t* words,
                  std::int64_t pieces, const std::int64_t* bands, std::int64_t* groups,
                  unsigned blocks);
bool round_groups(simt::executor& gpu, const group_request& request, const std::int64_t* groups,
                  unsigned blocks);

/// As the launchers of the same names, by so many blocks.
void write_extrema_keys(simt::executor& gpu, const extrema_request& request,
                        const std::int64_t* words, std::int64_t pieces, const extrema_words& to,
                        unsigned blocks);
void write_extrema_positions(simt::executor& gpu, const extrema_request& request,
                             const extrema_words& in, unsigned blocks);
void round_extrema(simt::executor& gpu, const extrema_request& request, const extrema_words& in,
                   unsigned blocks);

/// As launch_reduce_shares, by so many blocks.
void reduce_shares(simt::executor& gpu, const shares_request& request, unsigned blocks);

}  // namespace onefold::cuda::test
