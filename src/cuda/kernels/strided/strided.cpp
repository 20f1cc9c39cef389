// SPDX-License-Identifier: Apache-2.0
#include "cuda/kernels/strided/strided_entry.hpp"

namespace onefold::cuda {

namespace {

// A state of moments is that of the sum, and after it that of the squares.
int launch_moments(nested_request of, unsigned blocks, std::int64_t* words, void* stream) {
  of.of = accumulator::total;
  const int code = launch_nested(of, blocks, words, stream);
  if (code != 0) return code;
  of.of = accumulator::squares;
  return launch_nested(of, blocks, words + state_words(accumulator::total, of.input), stream);
}

}  // namespace

int launch_nested(const nested_request& of, unsigned blocks, std::int64_t* words, void* stream) {
  if (of.shape != order::none) return launch_nested_ordered(of, blocks, words, stream);
  if (of.of == accumulator::moments && of.finish.size > 0)
    return launch_nested_moments(of, blocks, stream);
  if (of.of == accumulator::moments) return launch_moments(of, blocks, words, stream);
  if (of.of == accumulator::exponentials)
    return launch_nested_exponentials(of, blocks, words, stream);
  if (is_floating(of.input) && of.of < accumulator::moments)
    return launch_nested_floats(of, blocks, words, stream);
  return launch_nested_folds(of, blocks, words, stream);
}

}  // namespace onefold::cuda
