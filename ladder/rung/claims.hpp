// SPDX-License-Identifier: Apache-2.0
#pragma once
// The pieces that several rungs' claims are made of.

#include "ladder/rung/rung.hpp"

namespace onefold::ladder {

/// Of a block.
unsigned warps_of(const evidence& e);

// Sizes at which a claim speaks.
bool at_any_size(const evidence& e);
bool for_whole_warps(const evidence& e);           ///< n and block are multiples of a warp
bool when_blocks_fill_sectors(const evidence& e);  ///< no two blocks share a sector of the input
bool when_tree_spans_two_rows(const evidence& e);  ///< a block's items fill two rows of the banks
bool when_blocks_pair_up(const evidence& e);       ///< n is a multiple of two blocks
bool when_lanes_pair_up(const evidence& e);        ///< a block has two lanes at least
bool when_blocks_get_fewer(const evidence& e);     ///< than the rung before launched

// Tests.
bool wavefronts_rise(const evidence& e);
bool wavefronts_fall(const evidence& e);
bool loads_ideal_sectors(const evidence& e);
bool loads_each_sector_once(const evidence& e);  ///< of the input
bool sectors_fall(const evidence& e);            ///< loaded from global memory
bool sectors_rise(const evidence& e);
bool global_traffic_falls(const evidence& e);  ///< sectors of all global accesses
bool barriers_fall(const evidence& e);
bool divergence_falls(const evidence& e);
bool counts_stay(const evidence& e);  ///< all of them
bool answer_is_right(const evidence& e);
bool conflicts(const evidence& e);  ///< of banks
bool one_launch_answers(const evidence& e);

// Tests of what a GPU counted: of claims judged by it.
bool instructions_fall(const evidence& e);
bool instructions_stay(const evidence& e);   ///< or rise
bool instructions_halve(const evidence& e);  ///< or more than that
bool more_lanes_work(const evidence& e);     ///< of an instruction: fewer are predicated off

/// Of block 0, in step 1, 2, ... of its tree.
unsigned lanes_working(const evidence& e, unsigned step);
unsigned tree_steps(const evidence& e);
/// Warps that store in a step of the tree, in all steps and blocks together.
std::uint64_t tree_stores(const evidence& e);

// Numbers, for each block where they grow with the grid.
std::string divergent_a_block(const evidence& e);
std::string conflicts_a_block(const evidence& e);
std::string wavefronts_a_block(const evidence& e);
std::string sectors_a_request(const evidence& e);
std::string sectors_loaded(const evidence& e);
std::string sectors_moved(const evidence& e);  ///< by all global accesses
std::string barriers_a_block(const evidence& e);
std::string answers(const evidence& e);        ///< got and expected
std::string launches(const evidence& e);       ///< and blocks
std::string lanes_by_step(const evidence& e);  ///< that work, of block 0
std::string instructions(const evidence& e);   ///< of warps, by the GPU
std::string working_lanes(const evidence& e);  ///< of an instruction, by the GPU

// The whole grid's, and those of the rung before.
std::string sectors_and_before(const evidence& e);   ///< loaded
std::string requests_and_before(const evidence& e);  ///< loads from global memory
std::string wavefronts_and_before(const evidence& e);
std::string barriers_and_before(const evidence& e);

// The same numbers from the hardware, over the whole grid.
std::string divergent_measured(const hardware_counters& h);
std::string conflicts_measured(const hardware_counters& h);
std::string wavefronts_measured(const hardware_counters& h);
std::string sectors_measured(const hardware_counters& h);

// Whole claims.
claim loads_are_coalesced();
/// Judged by the counters of a GPU.
claim by_gpu(std::string_view says, bool true_here, bool (*test)(const evidence&),
             std::string (*counted)(const evidence&) = instructions);

// The distance s of step 1, 2, ... of a tree.
unsigned growing_distance(unsigned step, unsigned block);
unsigned shrinking_distance(unsigned step, unsigned block);

}  // namespace onefold::ladder
