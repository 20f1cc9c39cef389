// SPDX-License-Identifier: Apache-2.0
// The kernels that copy matrices, compiled for the executor.
#pragma once

#include "cuda/kernels/transpose/transpose.hpp"
#include "simt/launch.hpp"

namespace onefold::cuda::test {

void launch_transpose(simt::executor& gpu, const transpose_launch& launch, simt::schedule order);

}  // namespace onefold::cuda::test
