// SPDX-License-Identifier: Apache-2.0
// Which file has the kernels of a type and accumulator: null where there are none.
#pragma once

#include "cuda/kernels/batched/batched.hpp"
#include "state/accumulator.hpp"

namespace onefold::cuda {

using many_launcher = int (*)(const many_request& request, const many_block& block, void* workspace,
                              void* cleared, void* stream);

many_launcher many_totals(dtype input);
many_launcher many_magnitudes(dtype input);
many_launcher many_squares(dtype input);
many_launcher many_integer_totals(dtype input);

}  // namespace onefold::cuda
