// SPDX-License-Identifier: Apache-2.0
// Exact sums of floats of general strided layouts.

#include "cuda/nested/entry.hpp"
#include "cuda/nested/floats.cuh"

namespace onefold::cuda {
namespace {

template <accumulator Accumulator, class T>
void start(const nested_request& of, unsigned blocks, std::int64_t* words, cudaStream_t stream) {
  nested_floats<Accumulator, T><<<blocks, nested_threads, 0, stream>>>(of, words);
}

template <class T>
void start_accumulator(const nested_request& of, unsigned blocks, std::int64_t* words,
                       cudaStream_t stream) {
  switch (of.of) {
  case accumulator::magnitudes:
    return start<accumulator::magnitudes, T>(of, blocks, words, stream);
  case accumulator::squares:
    return start<accumulator::squares, T>(of, blocks, words, stream);
  case accumulator::products:
    return start<accumulator::products, T>(of, blocks, words, stream);
  default:
    return start<accumulator::total, T>(of, blocks, words, stream);
  }
}

}  // namespace

int launch_nested_floats(const nested_request& of, unsigned blocks, std::int64_t* words,
                         void* stream) {
  auto* const queue = static_cast<cudaStream_t>(stream);
  switch (of.input) {
  case dtype::f16:
    start_accumulator<f16>(of, blocks, words, queue);
    break;
  case dtype::bf16:
    start_accumulator<bf16>(of, blocks, words, queue);
    break;
  case dtype::f32:
    start_accumulator<float>(of, blocks, words, queue);
    break;
  default:
    start_accumulator<double>(of, blocks, words, queue);
  }
  return int(cudaGetLastError());
}

}  // namespace onefold::cuda
