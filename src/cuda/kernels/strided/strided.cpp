// SPDX-License-Identifier: Apache-2.0
#include "cuda/kernels/strided/strided_entry.hpp"

namespace onefold::cuda {

namespace {

// A state of moments is that of the sum, and after it that of the squares.
int launch_moments(strided_request request, unsigned blocks, std::int64_t* words, void* stream) {
  request.accumulator = accumulator::total;
  const int code = launch_strided(request, blocks, words, stream);
  if (code != 0) return code;
  request.accumulator = accumulator::squares;
  return launch_strided(request, blocks, words + state_words(accumulator::total, request.input),
                        stream);
}

}  // namespace

int launch_strided(const strided_request& request, unsigned blocks, std::int64_t* words,
                   void* stream) {
  if (request.shape != order::none) return launch_strided_ordered(request, blocks, words, stream);
  if (request.accumulator == accumulator::moments && request.finish.size > 0)
    return launch_strided_moments(request, blocks, stream);
  if (request.accumulator == accumulator::moments)
    return launch_moments(request, blocks, words, stream);
  if (request.accumulator == accumulator::exponentials)
    return launch_strided_exponentials(request, blocks, words, stream);
  if (is_floating(request.input) && request.accumulator < accumulator::moments)
    return launch_strided_floats(request, blocks, words, stream);
  return launch_strided_folds(request, blocks, words, stream);
}

}  // namespace onefold::cuda
