// SPDX-License-Identifier: Apache-2.0
// The SIMD loop of logsumexp of integers, compiled for each target. The differences from the
// largest element are integers, so exp(x - largest) is one of 48 fixed-point numbers or zero. Their
// bytes are looked up in tables of 16 and added as integers, exactly and in any order.
#if defined(ONEFOLD_CPU_LOG_SUM_BYTES_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef ONEFOLD_CPU_LOG_SUM_BYTES_INL
#undef ONEFOLD_CPU_LOG_SUM_BYTES_INL
#else
#define ONEFOLD_CPU_LOG_SUM_BYTES_INL
#endif

#include <hwy/highway.h>

#include <utility>

#include "cpu/kernels/ordered_kernels.hpp"
#include "cpu/kernels/prefetch.hpp"
#include "cpu/kernels/words-inl.hpp"
#include "state/exponential.hpp"

HWY_BEFORE_NAMESPACE();
namespace onefold::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_SCALAR

inline fixed_total sum_of_fixed(const std::uint8_t* x, std::int64_t n, std::uint8_t largest) {
  fixed_total sum;
  for (std::int64_t i = 0; i < n; ++i) {
    const auto apart = std::uint8_t(largest - x[i]);
    if (apart < exponential::fixed_count) sum.add(exponential::fixed[apart]);
  }
  return sum;
}

#else

using sum_tag = hn::Repartition<std::uint64_t, byte_tag>;

// Byte `plane` of the number whose difference is 16 group + k.
struct byte_tables {
  alignas(16) std::uint8_t at[3][8][16];
};
constexpr byte_tables make_byte_tables() {
  byte_tables tables = {};
  for (int d = 0; d < exponential::fixed_count; ++d)
    for (int plane = 0; plane < 8; ++plane)
      tables.at[d / 16][plane][d % 16] = std::uint8_t(exponential::fixed[d] >> 8 * plane);
  return tables;
}
inline constexpr byte_tables tables_of_bytes = make_byte_tables();
// The numbers of a group are zero from that byte on.
inline constexpr int planes_of_group[] = {8, 5, 3};
static_assert(exponential::fixed[16] >> 40 == 0 && exponential::fixed[32] >> 24 == 0);

// The index in the group's table; 128 or more where the difference is in another group.
template <int Group>
HWY_INLINE byte_vector place_in(byte_vector apart) {
  const byte_tag d;
  const auto place = hn::Sub(apart, hn::Set(d, 16 * Group));
  const auto beyond = hn::And(hn::SaturatedAdd(place, hn::Set(d, 0x70)), hn::Set(d, 0x80));
  return hn::Or(place, beyond);
}

template <int Plane>
HWY_INLINE void add_plane(const byte_vector (&place)[3], hn::Vec<sum_tag>& sum) {
  const byte_tag d;
  const auto found = [&]<int Group>(std::integral_constant<int, Group>) HWY_ATTR {
    return hn::TableLookupBytesOr0(hn::LoadDup128(d, tables_of_bytes.at[Group][Plane]),
                                   place[Group]);
  };
  auto bytes = found(std::integral_constant<int, 0>());
  if constexpr (Plane < planes_of_group[1])
    bytes = hn::Or(bytes, found(std::integral_constant<int, 1>()));
  if constexpr (Plane < planes_of_group[2])
    bytes = hn::Or(bytes, found(std::integral_constant<int, 2>()));
  sum = hn::Add(sum, hn::SumsOf8(bytes));
}

template <int... Plane>
HWY_INLINE void add_planes(byte_vector apart, hn::Vec<sum_tag> (&sums)[8],
                           std::integer_sequence<int, Plane...>) {
  const byte_vector place[] = {place_in<0>(apart), place_in<1>(apart), place_in<2>(apart)};
  (add_plane<Plane>(place, sums[Plane]), ...);
}

inline fixed_total sum_of_fixed(const std::uint8_t* x, std::int64_t n, std::uint8_t largest) {
  const byte_tag d;
  const sum_tag words;
  const auto top = hn::Set(d, largest);
  hn::Vec<sum_tag> sums[8];
  for (auto& sum : sums) sum = hn::Zero(words);
  constexpr std::make_integer_sequence<int, 8> planes;
  std::int64_t i = 0;
  for (; i + byte_lanes <= n; i += byte_lanes) {
    prefetch_ahead(x + i);
    add_planes(hn::Sub(top, hn::LoadU(d, x + i)), sums, planes);
  }
  if (i < n) {
    const int nothing = std::uint8_t(largest + 1);  // a difference of 255
    add_planes(hn::Sub(top, last_bytes(x + i, n - i, nothing)), sums, planes);
  }
  fixed_total total;
  for (int plane = 0; plane < 8; ++plane) {
    const std::uint64_t sum = sum_of_words(words, sums[plane]);
    (plane < 4 ? total.low : total.high) += sum << 8 * (plane % 4);
  }
  return total;
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace onefold::cpu
HWY_AFTER_NAMESPACE();

#endif
