// SPDX-License-Identifier: Apache-2.0
#pragma once
// The arguments that the package's functions share, from Python's objects.

#include <nanobind/nanobind.h>

#include <cstdint>
#include <optional>

#include <onefold/executor.hpp>
#include <onefold/options.hpp>

#include "arrays.hpp"

namespace onefold::python {

/// A class of the module for memory that no buffer of Python's describes.
using array_class = array;

/// The memory of an Array of the module, of a DLPack capsule, or of any object with a buffer.
array array_of(nanobind::handle object, bool writable = false);

/// None: all axes; else an integer, or a tuple or list of them.
/// Fails: numpy.exceptions.AxisError, TypeError.
axis_set axes_of(nanobind::handle axis, int rank);

/// An integer argument, by __index__. Fails: TypeError, OverflowError.
std::int64_t integer_of(nanobind::handle number, const char* argument);

/// A number of Python's or NumPy's, floats by their bits. Fails: TypeError, OverflowError (an
/// integer beyond 64 bits).
scalar scalar_of(nanobind::handle number, const char* argument);

/// An argument that says yes or no, by Python's rules of value.
bool bool_of(nanobind::handle object);

/// "exact" or "fast".   Fails: ValueError, TypeError.
accuracy accuracy_of(nanobind::handle word);
/// "propagate", "omit" or "error".   Fails: ValueError, TypeError.
nan_policy nan_policy_of(nanobind::handle word);

/// Threads of one call; 0: as many as the library's default.
int threads() noexcept;
/// Fails: TypeError, ValueError.
void set_threads(nanobind::handle threads);

/// The engine that reads x's memory. stream: of a GPU, a cudaStream_t.
executor executor_of(const array& x, std::uintptr_t stream);

/// The arguments after the array, as Python passes them on.
struct arguments {
  nanobind::handle axis, where, initial, accuracy, nan, correction;
  bool keepdims = false;
};

/// The options of a call over an array of `rank` axes. `where` keeps the mask's memory alive.
options options_of(const arguments& given, int rank, std::optional<array>& where);

}  // namespace onefold::python
