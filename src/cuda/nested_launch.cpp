// SPDX-License-Identifier: Apache-2.0
#include "cuda/nested_entry.hpp"

namespace onefold::cuda {

int launch_nested(const nested_request& of, unsigned blocks, std::int64_t* words, void* stream) {
  if (is_floating(of.input) && of.of < family::moments)
    return launch_nested_floats(of, blocks, words, stream);
  return launch_nested_folds(of, blocks, words, stream);
}

}  // namespace onefold::cuda
