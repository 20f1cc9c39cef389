// SPDX-License-Identifier: Apache-2.0
// An input of the command line: opened, its format known, positioned at its first element.
#pragma once

#include <string>

#include "io/format.hpp"
#include "io/layout.hpp"
#include "io/missing_cells.hpp"
#include "io/source.hpp"
#include "options.hpp"

namespace onefold::program {

struct input {
  std::string name;  ///< as the user wrote it
  source stream;
  file_format format;
  layout described;         ///< of npy and raw, as reduced: --as f64 has another type
  layout stored{};          ///< as in the file
  missing_cells missing{};  ///< the missing cells so far
};

/// Opens an input and reads its header. Warns on standard error of data that it will not read.
/// Throws failure.
input open_input(const std::string& name, const request& request);

}  // namespace onefold::program
