// SPDX-License-Identifier: Apache-2.0
#include "cuda/kernels/strided/strided_entry.hpp"

namespace onefold::cuda {

namespace {

// A state of moments is that of the sum, and after it that of the squares.
int launch_moments(nested_request request, unsigned blocks, std::int64_t* words, void* stream) {
  request.accumulator = accumulator::total;
  const int code = launch_nested(request, blocks, words, stream);
  if (code != 0) return code;
  request.accumulator = accumulator::squares;
  return launch_nested(request, blocks, words + state_words(accumulator::total, request.input),
                       stream);
}

}  // namespace

int launch_nested(const nested_request& request, unsigned blocks, std::int64_t* words,
                  void* stream) {
  if (request.shape != order::none) return launch_nested_ordered(request, blocks, words, stream);
  if (request.accumulator == accumulator::moments && request.finish.size > 0)
    return launch_nested_moments(request, blocks, stream);
  if (request.accumulator == accumulator::moments)
    return launch_moments(request, blocks, words, stream);
  if (request.accumulator == accumulator::exponentials)
    return launch_nested_exponentials(request, blocks, words, stream);
  if (is_floating(request.input) && request.accumulator < accumulator::moments)
    return launch_nested_floats(request, blocks, words, stream);
  return launch_nested_folds(request, blocks, words, stream);
}

}  // namespace onefold::cuda
