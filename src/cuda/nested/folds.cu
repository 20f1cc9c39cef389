// SPDX-License-Identifier: Apache-2.0
// Integers, extrema, counts and bitwise folds of any plan.

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
  case family::total:
    start<folds::any_integers<family::total>>(of, blocks, words, queue);
    break;
  case family::magnitudes:
    start<folds::any_integers<family::magnitudes>>(of, blocks, words, queue);
    break;
  case family::squares:
    start<folds::any_integers<family::squares>>(of, blocks, words, queue);
    break;
  case family::products:
    start<folds::any_integers<family::products>>(of, blocks, words, queue);
    break;
  case family::extrema:
    start<folds::any_extrema>(of, blocks, words, queue);
    break;
  case family::tally:
    start<folds::any_tally>(of, blocks, words, queue);
    break;
  case family::bits:
    start<folds::any_bits>(of, blocks, words, queue);
    break;
  default:
    return int(cudaErrorNotSupported);
  }
  return int(cudaGetLastError());
}

}  // namespace onefold::cuda
