// SPDX-License-Identifier: Apache-2.0
#pragma once
// The sum of a small array by one block: one integer of 128 bits.
//
// What such a launch takes is the way of its instructions into the caches, not additions: so the
// code is short. Elements are integers of one unit, which the largest exponent sets: so is their
// sum, in any order. Elements that have bits below the unit, or are not finite, and sums of zero,
// whose sign depends on every element, are left to the digits of exact_sums.cuh, in the same
// launch.

#include "cuda/kernels/whole/exact_sums.cuh"
#include "cuda/primitives/load.cuh"
#include "cuda/primitives/warp.cuh"
#include "cuda/rounding/plain_digits.cuh"

namespace onefold::cuda {

/// The window of sums of up to 2^14 elements: an element is an integer times 2^unit.
template <class T>
struct sum_window {
  using format = detail::float_format<T>;
  using bits = typename format::bits;
  static constexpr int most_items_log2 = 14;
  /// The shift of the integers of elements with the largest exponent.
  static constexpr int top = 127 - format::precision - most_items_log2;

  unsigned largest;  // exponent field, at least 1

  ONEFOLD_DEVICE int unit() const { return int(largest) - top + format::lsb - 1; }
  /// Adds an element, unless it has bits below the unit. Returns those.
  ONEFOLD_DEVICE std::uint64_t add(bits x, int128& sum) const {
    const auto field = unsigned((x & bits(~format::sign_bit)) >> format::fraction_bits);
    const std::uint64_t fraction = x & (format::hidden_bit - 1);
    const std::uint64_t integer = field == 0 ? fraction : fraction | format::hidden_bit;
    const int shift = int(field == 0 ? 1 : field) - int(largest) + top;
    if (shift < 0) return integer;
    const int128 term = int128(integer) << shift;
    sum += (x & format::sign_bit) != 0 ? -term : term;
    return 0;
  }
};

/// Writes the answer of the sum of n elements in a window, unless it is zero, or a mean of small
/// doubles, which may be subnormal and is rounded there. One thread.
template <class T>
ONEFOLD_DEVICE bool write_integer(int128 sum, const sum_window<T>& window, unsigned n,
                                  const finish_list& list) {
  const finish_item& answer = list.answers[0];
  const bool is_mean = answer.op == op::mean;
  if (sum == 0 || (sizeof(T) == 8 && is_mean && window.largest < 200)) return false;
  typename detail::float_format<T>::bits made;
  if (__builtin_expect(is_mean, 0))
    made = rounded_quotient<T>(sum, window.unit(), n, false);
  else
    made = rounded_integer<T>(sum, window.unit(), false);
  write_bits<T>(answer.to, 0, made);
  report(status_code::ok, list);
  return true;
}

/// An integer of 128 bits as six of 24 bits, the last one with its sign, so that 256 of them are
/// added in 32 bits each.
struct short_limbs {
  static constexpr int count = 6, bits = 24;
  std::uint32_t limb[count];

  ONEFOLD_DEVICE explicit short_limbs(int128 x) {
    ONEFOLD_UNROLL
    for (int i = 0; i < count; ++i) {
      const auto from = std::uint32_t(x >> bits * i);
      limb[i] = i + 1 < count ? from & ((1u << bits) - 1) : from;
    }
  }
  ONEFOLD_DEVICE void add_lanes() {
    ONEFOLD_UNROLL
    for (int i = 0; i < count; ++i) limb[i] = warp_add(limb[i]);
  }
  ONEFOLD_DEVICE int128 value() const {
    int128 sum = int128(std::int32_t(limb[count - 1]));
    ONEFOLD_UNROLL
    for (int i = count - 1; i-- > 0;) sum = (sum << bits) + limb[i];
    return sum;
  }
};

inline constexpr unsigned most_window_threads = 256;

/// A thread's share of x[n]: up to so many vectors, and one of the elements after all vectors.
/// Code for what is not there is out of the way.
template <class T, unsigned Vectors>
struct window_share {
  using bits = typename detail::float_format<T>::bits;
  static constexpr unsigned items = unsigned(vector_items<T>);
  static_assert(Vectors * most_window_threads * items <= 1u << sum_window<T>::most_items_log2);

  unsigned whole, rest;
  vector_of<T> held[Vectors] = {};
  bits last = 0;

  ONEFOLD_DEVICE window_share(const T* x, unsigned n) : whole(n / items), rest(n % items) {
    ONEFOLD_UNROLL
    for (unsigned v = 0; v < Vectors; ++v)
      if (const unsigned at = v * blockDim.x + threadIdx.x; at < whole)
        held[v] = load_items(x + std::size_t(at) * items);
    if (__builtin_expect(threadIdx.x < rest, 0)) last = bits_at(x + whole * items + threadIdx.x);
  }
  /// Once, as the loop takes the vectors out of the first one: code for each would take longer to
  /// come than to run.
  template <class Take>
  ONEFOLD_DEVICE void for_each(Take&& take) {
    ONEFOLD_ROLLED
    for (unsigned v = 0; v == 0 || v * blockDim.x < whole; ++v) {
      for_each_item<T>(held[0], held[0], [&](bits one, bits) { take(one); });
      ONEFOLD_UNROLL
      for (unsigned i = 0; i + 1 < Vectors; ++i) held[i] = held[i + 1];
    }
    if (__builtin_expect(rest != 0, 0)) take(last);
  }
  ONEFOLD_DEVICE unsigned largest_field() const {
    using format = detail::float_format<T>;
    unsigned largest = 1;
    const auto note = [&](bits one) {
      largest = max(largest, unsigned((one & bits(~format::sign_bit)) >> format::fraction_bits));
    };
    ONEFOLD_UNROLL
    for (unsigned v = 0; v < Vectors; ++v)
      for_each_item<T>(held[v], held[v], [&](bits one, bits) { note(one); });
    note(last);
    return largest;
  }
};

/// Writes the answer of x[n], a plain one (has_plain_sum); false: it does not, in any thread. Every
/// thread of the block calls it. shared: 8 words for each warp, and one.
template <class T, unsigned Vectors>
ONEFOLD_DEVICE bool answer_by_window(const T* x, unsigned n, const finish_list& list,
                                     std::uint32_t* shared) {
  using bits = typename detail::float_format<T>::bits;
  const unsigned warps = blockDim.x / warp_lanes, lane = lane_index();
  const unsigned warp = threadIdx.x / warp_lanes;
  window_share<T, Vectors> share(x, n);
  const unsigned largest = warp_max(share.largest_field());
  if (lane == 0) shared[warp] = largest;
  __syncthreads();
  const sum_window<T> window = {warp_max(lane < warps ? shared[lane] : 0)};
  if (window.largest == unsigned(detail::float_format<T>::max_field)) return false;

  int128 sum = 0;
  std::uint64_t lost = 0;
  share.for_each([&](bits one) { lost |= window.add(one, sum); });
  short_limbs limbs(sum);
  limbs.add_lanes();
  const bool is_lost = any_lane(lost != 0);
  std::uint32_t* const of_warp = shared + 1 + warps + warp;
  if (lane == 0) {
    ONEFOLD_UNROLL
    for (int i = 0; i < short_limbs::count; ++i) of_warp[i * warps] = limbs.limb[i];
    of_warp[short_limbs::count * warps] = is_lost;
  }
  __syncthreads();
  if (warp == 0) {
    const std::uint32_t* const of_lane = shared + 1 + warps + lane;
    ONEFOLD_UNROLL
    for (int i = 0; i < short_limbs::count; ++i)
      limbs.limb[i] = lane < warps ? of_lane[i * warps] : 0;
    limbs.add_lanes();
    const bool any_lost = any_lane(lane < warps && of_lane[short_limbs::count * warps] != 0);
    if (lane == 0) shared[warps] = !any_lost && write_integer<T>(limbs.value(), window, n, list);
  }
  __syncthreads();
  return shared[warps] != 0;
}

/// Shape:  x[n], 0 < n, at a multiple of 16 bytes, of at most Vectors vectors of 16 bytes a thread,
///         and some elements after them; list: has_plain_sum; one block of a multiple of 32
///         threads, at most most_window_threads; dynamic shared memory as for exact_whole.
/// Error:  none: the answer is as on the host.
/// Order:  none: integers.
template <class T, unsigned Vectors>
__global__ void __launch_bounds__(most_window_threads)
    sum_by_window(const T* x, unsigned n, ONEFOLD_KERNEL_ARGUMENT finish_list list) {
  ONEFOLD_DYNAMIC_SHARED(std::int64_t, shared);
  if (answer_by_window<T, Vectors>(x, n, list, reinterpret_cast<std::uint32_t*>(shared))) return;
  __syncthreads();
  reduce_whole<accumulator::total, T, second::none, all_checks, unwatched, usual_lanes, false>(
      x, x, n, nullptr, nullptr, unwatched(), list, shared);
}

}  // namespace onefold::cuda
