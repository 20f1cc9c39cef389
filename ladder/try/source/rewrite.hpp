// SPDX-License-Identifier: Apache-2.0
#pragma once
// The two places where CUDA is no C++, made C++ without moving a line, and one that is marked:
//   kernel<<<grid, block>>>(in, out)      ->  ((void)0)
//   extern __shared__ float items[];      ->  float* const items = <dynamic shared memory>;
//   __device__ unsigned ended = 0;        ->  __device__ ONEFOLD_DEVICE_VARIABLE unsigned ended =
//   0;

#include "ladder/try/source/tokens.hpp"

#include <optional>

namespace onefold::ladder::learner {

/// The name of the first `__shared__ type name[];` that lacks extern, and so has no size.
std::optional<token> unsized_shared_array(const std::vector<token>& tokens);

std::string rewritten(std::string_view text, const std::vector<token>& tokens);

}  // namespace onefold::ladder::learner
