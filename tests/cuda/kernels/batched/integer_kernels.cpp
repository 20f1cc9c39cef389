// SPDX-License-Identifier: Apache-2.0
#include "cuda/accumulators/bool_bytes.cuh"
#include "kernels.cuh"

namespace onefold::test {
namespace {

template <class T>
batched_kernels kernels_of_type() {
  return kernels_of_terms<cuda::batched_integers<onefold::accumulator::total, T>>();
}

}  // namespace

batched_kernels batched_integer_kernels(dtype input) {
  switch (input) {
  case dtype::boolean:
    return kernels_of_type<cuda::bool_byte>();
  case dtype::i8:
    return kernels_of_type<std::int8_t>();
  case dtype::i16:
    return kernels_of_type<std::int16_t>();
  case dtype::i64:
    return kernels_of_type<std::int64_t>();
  case dtype::u8:
    return kernels_of_type<std::uint8_t>();
  case dtype::u32:
    return kernels_of_type<std::uint32_t>();
  default:
    return kernels_of_type<std::uint64_t>();
  }
}

}  // namespace onefold::test
