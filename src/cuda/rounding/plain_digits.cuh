// SPDX-License-Identifier: Apache-2.0
#pragma once
// Integers of 128 bits as answers, and the answers of the digits of a state that are plain: one, in
// the elements' type, of finite terms. One lane takes some 3 us for any answer (epilogue.cuh), a
// warp a tenth of that for these.

#include "cuda/accumulators/terms.cuh"
#include "cuda/primitives/warp.cuh"
#include "cuda/rounding/answer.cuh"
#include "cuda/rounding/epilogue.cuh"

namespace onefold::cuda {

__extension__ typedef __int128 int128;
__extension__ typedef unsigned __int128 uint128;

ONEFOLD_DEVICE int leading_zeros(uint128 x) {
  const auto high = static_cast<long long>(x >> 64), low = static_cast<long long>(x);
  return high != 0 ? __clzll(high) : 64 + __clzll(low);
}

/// m 2^k and, with is_more, some more of less than 2^k, rounded once to nearest even. m is not 0.
/// Of doubles there is no more below 2^-1022.
template <class T>
ONEFOLD_DEVICE typename detail::float_format<T>::bits rounded_integer(int128 m, int k,
                                                                      bool is_more) {
  const bool minus = m < 0;
  auto magnitude = uint128(minus ? -m : m);
  const int zeros = leading_zeros(magnitude);
  magnitude <<= zeros;
  auto digits = std::uint64_t(magnitude >> 64);
  is_more = is_more || std::uint64_t(magnitude) != 0;
  // To 53 bits: the answer of a double, else rounded to odd.
  constexpr unsigned middle = 0x400;
  const auto below = unsigned(digits & (2 * middle - 1));
  digits >>= 11;
  if constexpr (sizeof(T) == 8)
    digits += below > middle || (below == middle && (is_more || (digits & 1) != 0));
  else
    digits |= below != 0 || is_more;
  k += 75 - zeros;
  // In two steps, as 2^k may be no double; the second one is exact, or an overflow.
  const auto power = [](int e) {
    return __longlong_as_double(static_cast<long long>(std::int64_t(e + 1023) << 52));
  };
  const double x = double(digits) * power(k / 2) * power(k - k / 2), rounded = minus ? -x : x;
  if constexpr (sizeof(T) == 8)
    return std::uint64_t(__double_as_longlong(rounded));
  else
    return rounded_bits<T>(rounded);
}
/// The same of m 2^k / n. With is_more m has at least 64 bits, and n less than 2^32.
template <class T>
ONEFOLD_COLD typename detail::float_format<T>::bits rounded_quotient(int128 m, int k,
                                                                     std::int64_t n, bool is_more) {
  if (!is_more) {
    const int zeros = max(leading_zeros(uint128(m < 0 ? -m : m)) - 2, 0);
    m *= int128(1) << zeros, k -= zeros;
  }
  return rounded_integer<T>(m / n, k, is_more || m % n != 0);
}

/// Whether a list is of one sum or mean of such terms, in their type.
template <class T>
ONEFOLD_HOST_DEVICE bool has_plain_sum(const finish_list& list) {
  const op wanted = list.answers[0].op;
  return list.size == 1 && list.answers[0].type == dtype_of<T> &&
         (wanted == op::sum || wanted == op::mean || wanted == op::dot || wanted == op::norm1 ||
          wanted == op::sumsq);
}

/// Writes the answer of the digits of a state, which are carried, if it is plain, not zero, and of
/// doubles neither so small that it might be subnormal nor so large that it might overflow; else
/// returns false. Every lane of the warp calls it.
template <accumulator Accumulator, class T>
ONEFOLD_COLD bool finish_plain_sum(const std::int64_t* words, std::int64_t n,
                                   const finish_list& list) {
  constexpr int limbs = terms<Accumulator, T>::limbs, counters = 3;
  constexpr int lsb = detail::float_format<T>::lsb * (has_products<Accumulator> ? 2 : 1);
  if (!has_plain_sum<T>(list)) return false;
  const int lane = int(lane_index());
  if (any_lane(lane < counters && words[limbs + 1 + lane] != 0)) return false;
  // Of a negative sum the digits above it are those of -1.
  const std::int64_t fill = words[limbs - 1] < 0 ? -1 : 0;
  int highest = -1;
  bool is_more = false;
  ONEFOLD_ROLLED
  for (int first = (limbs - 1) / 32 * 32; first >= 0; first -= 32) {
    const int i = first + lane;
    const auto digit = i < limbs ? std::uint32_t(words[i]) : std::uint32_t(fill);
    if (highest < 0)
      highest = first + 31 - __clz(int(__ballot_sync(whole_warp, digit != std::uint32_t(fill))));
    if (highest < first) highest = -1;
    is_more = is_more || any_lane(highest >= 0 && i < highest - 2 && digit != 0);
  }
  const bool is_mean = list.answers[0].op == op::mean;
  const int first_bit = 32 * highest + lsb;
  if (highest < 0 || (sizeof(T) == 8 && (first_bit < -900 || first_bit > 900)) ||
      (is_mean && is_more && (sizeof(T) == 8 || n >= std::int64_t(1) << 32)))
    return false;
  if (lane != 0) return true;
  int128 m = fill;
  ONEFOLD_UNROLL
  for (int i = 0; i < 3; ++i) m = m << 32 | (highest < i ? 0 : std::uint32_t(words[highest - i]));
  if (m < 0 && is_more) m += 1;  // more is away from zero
  const int k = first_bit - 64;
  write_bits<T>(list.answers[0].to, 0,
                is_mean ? rounded_quotient<T>(m, k, n, is_more)
                        : rounded_integer<T>(m, k, is_more));
  report(status_code::ok, list);
  return true;
}

}  // namespace onefold::cuda
