// SPDX-License-Identifier: Apache-2.0
// The SIMD loops of sums and products of 8-bit integers, compiled for each target.
//
// Bytes are summed eight at a time into 64 bits. Products are summed in pairs into 32 bits, which
// hold `product_vectors` of them, then into 64 bits.
#if defined(ONEFOLD_CPU_BYTES_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef ONEFOLD_CPU_BYTES_INL
#undef ONEFOLD_CPU_BYTES_INL
#else
#define ONEFOLD_CPU_BYTES_INL
#endif

#include <hwy/highway.h>

#include <cstdint>

#include "cpu/kernels/prefetch.hpp"
#include "cpu/kernels/words-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace onefold::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_SCALAR
inline constexpr bool has_byte_loops = false;  // one lane cannot sum eight bytes
#else
inline constexpr bool has_byte_loops = true;
#endif

// The bytes of a vector as the unsigned bytes that are summed.
struct plain_bytes {
  static HWY_INLINE byte_vector from(byte_vector x) { return x; }
};
struct true_bytes {  // any nonzero byte is true
  static HWY_INLINE byte_vector from(byte_vector x) { return hn::Min(x, hn::Set(byte_tag(), 1)); }
};
struct shifted_bytes {  // x + 128
  static HWY_INLINE byte_vector from(byte_vector x) { return hn::Xor(x, hn::Set(byte_tag(), 128)); }
};
struct byte_magnitudes {
  static HWY_INLINE byte_vector from(byte_vector x) {
    const hn::RebindToSigned<byte_tag> d;
    return hn::BitCast(byte_tag(), hn::Abs(hn::BitCast(d, x)));
  }
};

#if HWY_TARGET != HWY_SCALAR
using byte_sums_tag = hn::Repartition<std::uint64_t, byte_tag>;

// filler: a byte that counts as zero. Ahead: prefetches the bytes; false where the caller does.
template <class Bytes, bool Ahead = true>
std::uint64_t sum_bytes(const std::uint8_t* x, std::int64_t n, int filler = 0) {
  const byte_tag d;
  auto even = hn::Zero(byte_sums_tag()), odd = even;
  std::int64_t i = 0;
  for (; i + 2 * byte_lanes <= n; i += 2 * byte_lanes) {
    for (std::int64_t line = 0; Ahead && line < 2 * byte_lanes; line += 64)
      prefetch_ahead(x + i + line);
    even = hn::Add(even, hn::SumsOf8(Bytes::from(hn::LoadU(d, x + i))));
    odd = hn::Add(odd, hn::SumsOf8(Bytes::from(hn::LoadU(d, x + i + byte_lanes))));
  }
  for (; i < n; i += byte_lanes) {
    const std::int64_t left = n - i < byte_lanes ? n - i : byte_lanes;
    even = hn::Add(even, hn::SumsOf8(Bytes::from(last_bytes(x + i, left, filler))));
  }
  return sum_of_words(byte_sums_tag(), hn::Add(even, odd));
}

// Counts pairs of bytes that are both true.
inline std::uint64_t count_true_pairs(const std::uint8_t* x, const std::uint8_t* y,
                                      std::int64_t n) {
  const byte_tag d;
  auto sums = hn::Zero(byte_sums_tag());
  const auto both = [](byte_vector a, byte_vector b) {
    return hn::SumsOf8(hn::And(true_bytes::from(a), true_bytes::from(b)));
  };
  std::int64_t i = 0;
  for (; i + byte_lanes <= n; i += byte_lanes)
    sums = hn::Add(sums, both(hn::LoadU(d, x + i), hn::LoadU(d, y + i)));
  if (i < n) sums = hn::Add(sums, both(last_bytes(x + i, n - i, 0), last_bytes(y + i, n - i, 0)));
  return sum_of_words(byte_sums_tag(), sums);
}

using word_tag = hn::CappedTag<std::int16_t, 32>;
using word_sums_tag = hn::Repartition<std::int32_t, word_tag>;
inline constexpr std::int64_t word_lanes = hn::MaxLanes(word_tag());
/// 2 * 255^2 * 2^13 < 2^31.
inline constexpr std::int64_t product_vectors = 1 << 13;

inline std::int64_t sum_of(hn::Vec<word_sums_tag> sums) {
  alignas(64) std::int32_t lanes[16] = {};
  hn::Store(sums, word_sums_tag(), lanes);
  std::int64_t sum = 0;
  for (auto lane : lanes) sum += lane;
  return sum;
}

// T: std::int8_t or std::uint8_t.
template <class T>
std::int64_t sum_byte_products(const T* x, const T* y, std::int64_t n) {
  const word_tag d;
  const hn::Rebind<T, word_tag> bytes;
  std::int64_t sum = 0, i = 0;
  while (i + word_lanes <= n) {
    auto low = hn::Zero(word_sums_tag()), high = low;
    for (std::int64_t k = 0; k < product_vectors && i + word_lanes <= n; ++k, i += word_lanes) {
      if (i % 64 == 0) prefetch_ahead(x + i), prefetch_ahead(y + i);
      low =
          hn::ReorderWidenMulAccumulate(word_sums_tag(), hn::PromoteTo(d, hn::LoadU(bytes, x + i)),
                                        hn::PromoteTo(d, hn::LoadU(bytes, y + i)), low, high);
    }
    sum += sum_of(low) + sum_of(high);
  }
  for (; i < n; ++i) sum += x[i] * y[i];
  return sum;
}
#else
template <class Bytes, bool Ahead = true>
std::uint64_t sum_bytes(const std::uint8_t*, std::int64_t, int = 0);
std::uint64_t count_true_pairs(const std::uint8_t*, const std::uint8_t*, std::int64_t);
template <class T>
std::int64_t sum_byte_products(const T*, const T*, std::int64_t);
#endif

}  // namespace HWY_NAMESPACE
}  // namespace onefold::cpu
HWY_AFTER_NAMESPACE();

#endif
