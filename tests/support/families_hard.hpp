// SPDX-License-Identifier: Apache-2.0
// Families made against the proofs: cancellation, ties, half units, edges of windows, specials.
#pragma once

#include "support/elements.hpp"
#include "support/oracle.hpp"

namespace onefold::test {

template <class T>
void fill_cancellation(random_source& random, T* x, std::size_t n) {
  const int span = random.between(0, 40);
  for (std::size_t i = 0; i + 1 < n; i += 2) {
    x[i] = any_of_exponent<T>(random, random.between(0, span));
    x[i + 1] = negated(x[i]);
  }
  if (n > 0) x[n - 1] = any_of_exponent<T>(random, random.between(-ieee<T>::bias, 0));
  shuffle(random, x, n);
}

// Values beyond the largest finite number that come back: only the whole sum fits.
template <class T>
void fill_cancelling_overflow(random_source& random, T* x, std::size_t n) {
  const std::size_t half = n / 2;
  for (std::size_t i = 0; i < half; ++i) {
    x[i] = make<T>(false, ieee<T>::bias, bits_of<T>(random()));
    x[n - 1 - i] = negated(x[i]);
  }
  if (n % 2) x[half] = any_of_exponent<T>(random, random.between(-3, 3));
  if (n > 8 && random.one_in(2)) x[0] = x[1];
}

// Exact ties, exact ties plus or minus the least number there is, ones all along, the largest
// finite value plus half a unit; everything else cancels.
template <class T>
void fill_ties(random_source& random, T* x, std::size_t n) {
  using format = ieee<T>;
  const bool minus = random.one_in(2), top = random.one_in(4);
  const int lowest = format::lsb + format::fraction_bits + 1;
  const int exponent = top ? format::bias : random.between(lowest, format::bias);
  const auto fraction = top || random.one_in(2) ? ~bits_of<T>(0) : bits_of<T>(random.below(4));
  T parts[4] = {make<T>(minus, exponent, fraction),
                power_of_two<T>(minus, exponent - format::fraction_bits - 1),
                power_of_two<T>(random.one_in(2), format::lsb), make<T>(true, -format::bias, 0)};
  if (random.one_in(3)) parts[2] = parts[3];
  const int span = random.one_in(2) ? 3 : 200;
  for (std::size_t i = 0; i < n; ++i) x[i] = i < 4 ? parts[i] : parts[3];
  for (std::size_t i = 4; i + 1 < n; i += 2) {
    x[i] = any_of_exponent<T>(random, exponent - random.between(0, span));
    x[i + 1] = negated(x[i]);
  }
  shuffle(random, x, n);
}

// One large element sets the window; the rest are half a unit of its first level, all of one
// sign, so that the second level moves as far as the proof allows.
template <class T>
void fill_half_units(random_source& random, T* x, std::size_t n) {
  const int top = random.between(std::min(0, ieee<T>::bias - 60), ieee<T>::bias - 20);
  const bool minus = random.one_in(2), mixed = random.one_in(4);
  const int shift = random.one_in(3) ? random.between(-2, 2) : 0;
  for (std::size_t i = 0; i < n; ++i)
    x[i] = power_of_two<T>(mixed ? random.one_in(2) : minus, top - 45 + shift);
  for (std::size_t i = 0; i < n; i += 64) x[i] = make<T>(random.one_in(2), top, 0);
}

// Full binades of one sign: the first level moves as far as the proof allows, and a window that
// was opened lower down is left upwards.
template <class T>
void fill_one_sign(random_source& random, T* x, std::size_t n) {
  const bool minus = random.one_in(2);
  const int top = random.between(-ieee<T>::bias, ieee<T>::bias);
  const int rise = random.between(0, 2);
  for (std::size_t i = 0; i < n; ++i)
    x[i] = make<T>(minus, top + int(i * std::size_t(rise) / 64), ~bits_of<T>(random.below(2)));
}

// After a first tile the largest elements of one sign that its window takes: the counters of the
// first level grow as fast as they can. Nearer to the format's largest there is no such window: the
// first level lies 8 binades above the first tile (cpu/kernels/sum/cascade_window.hpp: slack, 2,
// additions).
template <class T>
void fill_full_binades(random_source& random, T* x, std::size_t n) {
  const bool minus = random.one_in(2);
  const int top = random.between(-ieee<T>::bias, ieee<T>::bias - 8);
  for (std::size_t i = 0; i < n; ++i)
    x[i] = make<T>(minus, top + (i < 512 ? 0 : 2), ~bits_of<T>(0));
}

// One element in 64 keeps every tile out of every window. All others share one sign and exponent,
// or twice as many of them as a bucket holds, give or take one; then come zeros.
template <class T>
void fill_full_buckets(random_source& random, T* x, std::size_t n) {
  const std::size_t capacity = ieee<T>::fraction_bits == 52 ? 2048 : 65535;
  const bool minus = random.one_in(2);
  const int exponent = random.between(-ieee<T>::bias, ieee<T>::bias);
  const std::size_t most = random.one_in(4) ? n : 2 * capacity + random.below(3) - 1;
  const auto ones = random.one_in(2) ? ~bits_of<T>(0) : bits_of<T>(0);
  std::size_t used = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (i % 64 == 13)
      x[i] = as_float<T>(bits_of<T>(random.one_in(9) ? ieee<T>::nan : ieee<T>::infinity));
    else if (used++ < most)
      x[i] = make<T>(minus, exponent, bits_of<T>(bits_of<T>(random()) | ones));
    else
      x[i] = make<T>(random.one_in(2), -ieee<T>::bias, 0);
  }
}

// Spreads at the last bit that a cascade of 1, 2, 4 or 6 levels takes, and two to either side.
template <class T>
void fill_window_edge(random_source& random, T* x, std::size_t n) {
  const int levels = std::max(1, 2 * random.between(0, 3)), precision = ieee<T>::fraction_bits + 1;
  const int limit = 52 * levels - 4 * (levels - 1) - 7 - precision;
  const int spread = std::clamp(limit + random.between(-2, 2), 0, 2 * ieee<T>::bias - 8);
  const int top = random.between(spread - ieee<T>::bias + 1, ieee<T>::bias - 7);
  for (std::size_t i = 0; i < n; ++i) {
    const int down = random.one_in(8) ? 0 : random.one_in(2) ? spread : random.between(0, spread);
    x[i] = as_float<T>(bits_of<T>(as_bits(any_of_exponent<T>(random, top - down)) | 1));
  }
}

// Sums of a condition of up to 2^range, after T. Ogita, S. Rump and S. Oishi, "Accurate sum and
// dot product" (2005), algorithm 6.1: the last elements cancel what there is, ever more closely.
template <class T>
void fill_ill_conditioned(random_source& random, T* x, std::size_t n) {
  const int range = random.between(40, std::min(2000, 2 * ieee<T>::bias - 20)), half = range / 2;
  const std::size_t closing = std::min<std::size_t>(n / 2, 32), open = n - closing;
  for (std::size_t i = 0; i < open; ++i)
    x[i] = any_of_exponent<T>(random, random.between(0, half) - half / 2);
  if (n > 0) x[0] = any_of_exponent<T>(random, half - half / 2);
  oracle<T> sum;
  sum.add(x, std::int64_t(open));
  for (std::size_t i = 0; i < closing; ++i) {
    const int exponent = half - int(std::size_t(range) * i / closing) - half / 2;
    const T wanted = any_of_exponent<T>(random, exponent), away = negated(wanted);
    sum.add_one_by_one(&away, 1);
    x[open + i] = negated(as_float<T>(sum.value()));
    if ((as_bits(x[open + i]) & ieee<T>::infinity) == ieee<T>::infinity) x[open + i] = wanted;
    sum.add_one_by_one(&wanted, 1);
    sum.add_one_by_one(&x[open + i], 1);
  }
  shuffle(random, x, n);
}

template <class T>
T any_special(random_source& random, std::uint64_t kinds) {
  using format = ieee<T>;
  const std::uint64_t kind = random.below(kinds);
  if (kind < 2) return as_float<T>(bits_of<T>(format::infinity | (kind ? format::sign : 0)));
  // NaNs of either sign, quiet and signalling, with any payload.
  const auto payload = bits_of<T>(random()) & (format::hidden - 1);
  const auto sign = random.one_in(2) ? format::sign : bits_of<T>(0);
  return as_float<T>(bits_of<T>(sign | format::infinity | (payload == 0 ? 1 : payload)));
}

// kinds: 1 only +Inf, 2 both infinities, 3 NaN too.
template <class T>
void fill_specials(random_source& random, T* x, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) x[i] = any_of_exponent<T>(random, random.between(-5, 5));
  const std::uint64_t kinds = random.between(1, 3);
  const std::size_t count = random.one_in(8) ? n : random.below(std::min<std::size_t>(n, 5) + 1);
  for (std::size_t i = 0; i < count; ++i) x[random.below(n)] = any_special<T>(random, kinds);
}

}  // namespace onefold::test
