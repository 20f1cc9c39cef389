// SPDX-License-Identifier: Apache-2.0
// The caller's initial value: one more element of every answer.
#pragma once

#include "cpu/accumulation.hpp"
#include "onefold/options.hpp"

namespace onefold::cpu {

/// Adds options::initial, if there is one, to every family. Precondition: the request was checked.
void add_initial(accumulation& into, dtype input, const options& how);

}  // namespace onefold::cpu
