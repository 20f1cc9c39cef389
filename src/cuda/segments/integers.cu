// SPDX-License-Identifier: Apache-2.0
// Sums and means of segments of integers. Booleans are the bytes 0 and 1.

#include "cuda/segments/entry.hpp"
#include "cuda/segments/launch.cuh"

namespace onefold::cuda {
namespace {

template <class T>
constexpr segments_launcher total = launch_fold<segment_sums<many_integers<family::total, T>>>;

}  // namespace

segments_launcher segment_integer_totals(dtype input) {
  switch (input) {
  case dtype::i8:
    return total<std::int8_t>;
  case dtype::i16:
    return total<std::int16_t>;
  case dtype::i32:
    return total<std::int32_t>;
  case dtype::i64:
    return total<std::int64_t>;
  case dtype::boolean:
    return total<truth>;
  case dtype::u8:
    return total<std::uint8_t>;
  case dtype::u16:
    return total<std::uint16_t>;
  case dtype::u32:
    return total<std::uint32_t>;
  case dtype::u64:
    return total<std::uint64_t>;
  default:
    return nullptr;
  }
}

}  // namespace onefold::cuda
