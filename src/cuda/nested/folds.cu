// SPDX-License-Identifier: Apache-2.0
// Integers, extrema, counts and bitwise folds of general strided layouts.

#include "cuda/nested/entry.hpp"
#include "cuda/nested/folds.cuh"

namespace onefold::cuda {
namespace {

template <class Fold>
void start(const nested_request& of, unsigned blocks, std::int64_t* words, cudaStream_t stream) {
  folds::nested_folds<Fold><<<blocks, nested_threads, 0, stream>>>(of, words);
}

}  // namespace

int launch_nested_folds(const nested_request& of, unsigned blocks, std::int64_t* words,
                        void* stream) {
  auto* const queue = static_cast<cudaStream_t>(stream);
  switch (of.of) {
  case accumulator::total:
    start<folds::any_integers<accumulator::total>>(of, blocks, words, queue);
    break;
  case accumulator::magnitudes:
    start<folds::any_integers<accumulator::magnitudes>>(of, blocks, words, queue);
    break;
  case accumulator::squares:
    start<folds::any_integers<accumulator::squares>>(of, blocks, words, queue);
    break;
  case accumulator::products:
    start<folds::any_integers<accumulator::products>>(of, blocks, words, queue);
    break;
  case accumulator::extrema:
    start<folds::any_extrema>(of, blocks, words, queue);
    break;
  case accumulator::counts:
    start<folds::any_counts>(of, blocks, words, queue);
    break;
  case accumulator::bits:
    start<folds::any_bits>(of, blocks, words, queue);
    break;
  default:
    return int(cudaErrorNotSupported);
  }
  return int(cudaGetLastError());
}

}  // namespace onefold::cuda
