// SPDX-License-Identifier: Apache-2.0
#pragma once
// The two places where CUDA is no C++, made C++ without moving a line:
//   kernel<<<grid, block>>>(in, out)      ->  ((void)0)
//   extern __shared__ float items[];      ->  float* const items = <dynamic shared memory>;

#include "ladder/try/tokens.hpp"

namespace onefold::ladder::learner {

std::string rewritten(std::string_view text, const std::vector<token>& tokens);

}  // namespace onefold::ladder::learner
