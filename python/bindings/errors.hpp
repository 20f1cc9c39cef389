// SPDX-License-Identifier: Apache-2.0
#pragma once
// Python's exceptions for the library's statuses.

#include <nanobind/nanobind.h>

#include <onefold/status.hpp>

#include <string>

namespace onefold::python {

/// The name of an object's type, for messages.
std::string type_of_object(nanobind::handle object);

/// Raises an exception of Python's.
[[noreturn]] void raise(PyObject* exception, const std::string& message);

/// Raises the exception of a status, with its message in Python's words.
[[noreturn]] void raise(const status& status);

/// Raises the exception of a status that is not ok.
inline void check(const status& status) {
  if (!status) raise(status);
}

/// The value of a result, or the exception of its status.
template <class T>
T value_of(result<T> result) {
  check(result.why());
  return std::move(result).value();
}

}  // namespace onefold::python
