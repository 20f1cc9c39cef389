// SPDX-License-Identifier: Apache-2.0
#pragma once
// NumPy's scalars and arrays, as results. NumPy is used through Python, not through its C API: one
// binary serves every version.

#include <nanobind/nanobind.h>

#include <cstdint>
#include <span>

#include <onefold/dtype.hpp>

#include "arrays.hpp"

namespace onefold::python {

/// Whether it is an array of NumPy's own class.
bool is_numpy_array(PyObject* object);

/// The scalar of NumPy's type for a dtype, with these bits: no floating-point operation is between,
/// which would lose subnormals where another library has set FTZ or DAZ.
/// Fails: TypeError for bfloat16 without ml_dtypes.
nanobind::object numpy_scalar(dtype type, const void* value);

/// A new C-contiguous array, uninitialised.
/// Fails: TypeError for bfloat16 without ml_dtypes, MemoryError.
nanobind::object numpy_empty(dtype type, std::span<const std::int64_t> shape);

/// The memory of an array of `type` made by numpy_empty, to be written. ml_dtypes' arrays of
/// bfloat16 have no buffer of their own.
array memory_of_numpy(nanobind::handle made, dtype type);

/// A tuple of these extents.
nanobind::object shape_tuple(std::span<const std::int64_t> shape);

}  // namespace onefold::python
