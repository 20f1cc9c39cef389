// SPDX-License-Identifier: Apache-2.0
// The kernel of onefold/cuda/custom.cuh, compiled for the executor.
#pragma once

#include <cstddef>
#include <cstdint>

#include "simt/launch.hpp"
#include "tests/cuda/custom_operators.hpp"

namespace onefold::cuda::test {

/// What the header says of n elements.
struct custom_cut {
  unsigned blocks;
  std::int64_t run;
  std::size_t workspace_bytes;
};

/// For affine of u32, longest_run of u8, centre of point, ends of double.
template <class R, class T>
custom_cut cut_of(std::int64_t n);

/// `longer`: runs so many times as long as the header has them, as very many elements would.
template <class R, class T>
void launch_custom(simt::executor& gpu, simt::schedule order, const T* x, std::int64_t n,
                   std::int64_t longer, unsigned char* workspace, R* answer);

}  // namespace onefold::cuda::test
