// SPDX-License-Identifier: Apache-2.0
#pragma once
// NumPy's scalars and arrays, as results. NumPy is used through Python, not through its C API: one
// binary serves every version.

#include <nanobind/nanobind.h>

#include <cstdint>
#include <span>

#include <onefold/dtype.hpp>

namespace onefold::python {

/// The scalar of NumPy's type for a dtype, from its memory. Precondition: not bfloat16.
nanobind::object numpy_scalar(dtype type, const void* value);

/// A new C-contiguous array, uninitialised. Fails: TypeError for bfloat16, MemoryError.
nanobind::object numpy_empty(dtype type, std::span<const std::int64_t> shape);

/// A tuple of these extents.
nanobind::object shape_tuple(std::span<const std::int64_t> shape);

}  // namespace onefold::python
