// SPDX-License-Identifier: Apache-2.0
// An input of the command line: opened, its format known, positioned at its first element; a
// safetensors file is positioned at a tensor by select_tensor().
#pragma once

#include <string>
#include <vector>

#include "io/format.hpp"
#include "io/layout.hpp"
#include "io/missing_cells.hpp"
#include "io/safetensors.hpp"
#include "io/source.hpp"
#include "options.hpp"

namespace onefold::program {

struct input {
  std::string name;  ///< as the user wrote it; for messages: of a tensor the tensor's too
  source stream;
  file_format format;
  layout described;                ///< of npy and raw, as reduced: --as f64 has another type
  layout stored{};                 ///< as in the file
  missing_cells missing{};         ///< the missing cells so far
  std::int64_t missing_count = 0;  ///< their number in a text that was read

  std::vector<tensor> tensors{};   ///< of a safetensors file, in the order of their data
  std::uint64_t first_tensor = 0;  ///< the offset of their data
};

/// Opens an input and reads its header. Warns on standard error of data that it will not read.
/// Throws failure.
input open_input(const std::string& name, const request& request);

/// Describes one tensor of a safetensors file and moves to its first element.
/// Throws failure; if the program does not read its type with exit code 4.
void select_tensor(input& from, const std::string& file, const tensor& which,
                   const request& request);

}  // namespace onefold::program
