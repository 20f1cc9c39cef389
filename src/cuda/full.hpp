// SPDX-License-Identifier: Apache-2.0
// The kernels of whole arrays, family by family; launch.cpp chooses among them.
#pragma once

#include "cuda/launch.hpp"

namespace onefold::cuda {

/// As launch_full and workspace_bytes, for the family of their name.
int launch_extrema_full(const full_request& of, grid_shape grid, void* workspace,
                        std::int64_t* words, void* stream);
int launch_tally_full(const full_request& of, grid_shape grid, void* workspace, std::int64_t* words,
                      void* stream);
int launch_bits_full(const full_request& of, grid_shape grid, void* workspace, std::int64_t* words,
                     void* stream);
std::size_t extrema_workspace_bytes();
std::size_t tally_workspace_bytes();
std::size_t bits_workspace_bytes();

}  // namespace onefold::cuda
