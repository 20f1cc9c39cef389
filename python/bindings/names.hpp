// SPDX-License-Identifier: Apache-2.0
#pragma once
// Python's words for what the library names in C++'s.

#include <string>
#include <string_view>

#include <onefold/dtype.hpp>

namespace onefold::python {

/// NumPy's name of an element type: "float32". bfloat16 has ml_dtypes'.
const char* numpy_name(dtype type) noexcept;

/// A message of the library with the names that Python has: "axis" for options::axes, "float32"
/// for f32, which NumPy does not know, as it knows i8 as eight bytes.
std::string in_python_words(std::string_view message);

}  // namespace onefold::python
