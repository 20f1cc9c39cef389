// SPDX-License-Identifier: Apache-2.0
// Sums and means of rows and columns of integers.

#include "cuda/many/entry.hpp"
#include "cuda/many/launch.cuh"
#include "cuda/parts/truths.cuh"

namespace onefold::cuda {

template <>
struct parts_terms<many_integers<family::total, truth>> {
  using type = many_integers<family::total, std::uint8_t>;
};

namespace {

template <class T>
constexpr many_launcher total = launch_terms<many_integers<family::total, T>>;

}  // namespace

many_launcher many_integer_totals(dtype input) {
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
