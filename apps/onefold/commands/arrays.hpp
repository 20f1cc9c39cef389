// SPDX-License-Identifier: Apache-2.0
// The arrays of an input: the input itself, or each tensor of a safetensors file.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "failure.hpp"
#include "io/input.hpp"
#include "options.hpp"
#include "report/lines.hpp"

namespace onefold::program {

/// Why an array has no answer.
struct array_failure {
  failure why;
  std::string input;  ///< as the user wrote it
  std::optional<tensor_label> tensor;
  bool printed = false;  ///< the same message was printed for an earlier tensor of the file
};

/// Opens an input and calls `take` for each of its arrays, which the input then describes. Calls
/// `refuse` for an input that cannot be opened, and for each array whose `take` throws failure; the
/// arrays after it are taken too, as the inputs in `wc` and `cat` are.
void for_each_array(const std::string& name, const request& request,
                    const std::function<void(input&, const std::optional<tensor_label>&)>& take,
                    const std::function<void(const array_failure&)>& refuse);

/// Throws failure (usage) if an input has several tensors. `use`: what takes one array.
void require_one_array(const input& from, const char* use);

}  // namespace onefold::program
