// SPDX-License-Identifier: Apache-2.0
// Inputs for the exact kernels on a GPU, and the words of the CPU's states of them. Plain C++, so
// that the generators of the tests need not pass through nvcc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "onefold/dtype.hpp"
#include "state/accumulator.hpp"

namespace bench {

struct cuda_input {
  std::string name;
  std::vector<std::byte> x, y;
};

std::size_t kinds_of_input(onefold::dtype type);
cuda_input make_input(onefold::dtype type, std::size_t kind, std::int64_t n);

/// The kinds that are timed: ordinary data, and the slowest there are.
std::vector<std::size_t> timed_inputs(onefold::dtype type);

/// The words of the state of x, or of x and y: what the CPU's public functions know of them.
std::vector<std::int64_t> state_words_of(onefold::accumulator accumulator, onefold::dtype type,
                                         const std::byte* x, const std::byte* y, std::int64_t n);

}  // namespace bench
