// SPDX-License-Identifier: Apache-2.0
#pragma once
// States from Python's arguments.

#include <nanobind/nanobind.h>

#include <cstdint>

#include <onefold/state.hpp>

namespace onefold::python {

/// The state of no elements. Fails: TypeError.
state new_state(op op, dtype input, std::int64_t first_index);

/// The options of a rounding. Fails: ValueError, TypeError.
rounding_options rounding_of(nanobind::handle nan, nanobind::handle correction);

}  // namespace onefold::python
