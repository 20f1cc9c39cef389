// SPDX-License-Identifier: Apache-2.0
#pragma once
// The text of a value in reports, the same whichever compiler and machine computed it.

#include <fmt/format.h>

#include <string>

namespace onefold::ladder {

/// The shortest decimal that reads back as the value. A NaN is "nan": the sign bit of the NaN that
/// an invalid operation yields depends on the processor.
template <class T>
std::string value_text(T value) {
  if (value != value) return "nan";
  return fmt::format("{}", value);
}

}  // namespace onefold::ladder
