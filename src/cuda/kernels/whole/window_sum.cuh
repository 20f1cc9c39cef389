// SPDX-License-Identifier: Apache-2.0
#pragma once
// The sum of a small array by one block, or by a cluster of blocks: one integer of 128 bits.
//
// Such a launch waits for its instructions, which are in no cache, longer than it adds: so the code
// is short. Elements are integers of one unit, which the largest exponent sets: so is their
// sum, in any order. Each block of a cluster has a unit of its own, and they are aligned when the
// blocks' sums are added. Elements that have bits below the unit, or are not finite, and sums of
// zero, whose sign depends on every element, are left to the digits of exact_sums.cuh, in the same
// launch.

#include "cuda/kernels/whole/exact_sums.cuh"
#include "cuda/kernels/whole/whole_entry.hpp"
#include "cuda/primitives/cluster.cuh"
#include "cuda/primitives/load.cuh"
#include "cuda/primitives/warp.cuh"
#include "cuda/rounding/plain_digits.cuh"

namespace onefold::cuda {

/// The window of sums of up to 2^14 elements, of a cluster of 2^17: an element is an integer times
/// 2^unit.
template <class T, bool Cluster>
struct sum_window {
  using format = detail::float_format<T>;
  using bits = typename format::bits;
  static constexpr int most_items_log2 = Cluster ? 17 : 14;
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

/// Whether a window holds the answer: zeros have a sign, and means of small doubles may be
/// subnormal.
template <class T, bool Cluster>
ONEFOLD_DEVICE bool has_answer(int128 sum, const sum_window<T, Cluster>& window,
                               const finish_list& list) {
  const bool is_mean = list.answers[0].op == op::mean;
  return sum != 0 && !(sizeof(T) == 8 && is_mean && window.largest < 200);
}
/// Writes it, of n elements. One thread.
template <class T, bool Cluster>
ONEFOLD_DEVICE void write_integer(int128 sum, const sum_window<T, Cluster>& window, unsigned n,
                                  const finish_list& list) {
  const finish_item& answer = list.answers[0];
  const bool is_mean = answer.op == op::mean;
  typename detail::float_format<T>::bits made;
  if (__builtin_expect(is_mean, 0))
    made = rounded_quotient<T>(sum, window.unit(), n, false);
  else
    made = rounded_integer<T>(sum, window.unit(), false);
  write_bits<T>(answer.to, 0, made);
  report(status_code::ok, list);
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

/// A thread's share of x[n]: up to so many vectors, and one of the elements before and after all
/// vectors. Code for what is not there is out of the way.
template <class T, unsigned Vectors, bool Cluster>
struct window_share {
  using bits = typename detail::float_format<T>::bits;
  static constexpr unsigned items = unsigned(vector_items<T>);
  static_assert(Vectors * most_window_threads * items * (Cluster ? most_window_blocks : 1) <=
                1u << sum_window<T, Cluster>::most_items_log2);

  unsigned whole, rest, step;
  vector_of<T> held[Vectors] = {};
  bits last = 0;

  ONEFOLD_DEVICE window_share(const T* x, unsigned n) {
    const unsigned skewed = unsigned(reinterpret_cast<std::uintptr_t>(x) % 16) / sizeof(T);
    const unsigned before = skewed == 0 ? 0 : min(items - skewed, n);
    const unsigned own = (Cluster ? blockIdx.x * blockDim.x : 0) + threadIdx.x;
    step = (Cluster ? gridDim.x : 1) * blockDim.x;
    whole = (n - before) / items, rest = n - whole * items;
    ONEFOLD_UNROLL
    for (unsigned v = 0; v < Vectors; ++v)
      if (const unsigned at = v * step + own; at < whole)
        held[v] = load_items(x + before + std::size_t(at) * items);
    if (__builtin_expect(own < rest, 0))
      last = bits_at(x + own + (own < before ? 0 : whole * items));
  }
  /// Once, as the loop takes the vectors out of the first one: code for each would take longer to
  /// come than to run.
  template <class Take>
  ONEFOLD_DEVICE void for_each(Take&& take) {
    ONEFOLD_ROLLED
    for (unsigned v = 0; v == 0 || v * step < whole; ++v) {
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

/// The sum of a block or of a cluster, in units of a window.
template <class T, bool Cluster>
struct window_total {
  int128 sum;
  sum_window<T, Cluster> window;
  bool is_lost;  ///< an element has bits below the unit or is not finite
};

/// Where the blocks of a cluster send their sums to each other.
struct window_slots {
  std::int64_t low[most_window_blocks], high[most_window_blocks], seen[most_window_blocks];
  cluster_mbarrier meeting;
};
ONEFOLD_DEVICE window_slots& slots_of_window() {
  __shared__ window_slots own;
  return own;
}

/// The sum of all blocks of the cluster, which is the grid, in every lane. The first warp.
template <class T>
ONEFOLD_DEVICE window_total<T, true> joined_blocks(window_total<T, true> own) {
  window_slots& slots = slots_of_window();
  const unsigned lane = lane_index(), rank = cluster_rank();
  constexpr std::int64_t lost = std::int64_t(1) << 32;
  if (lane == 0) slots.meeting.expect(int(gridDim.x * 3 * sizeof(std::int64_t)));
  if (lane < gridDim.x) {
    send(&slots.low[rank], lane, std::int64_t(own.sum), slots.meeting);
    send(&slots.high[rank], lane, std::int64_t(own.sum >> 64), slots.meeting);
    send(&slots.seen[rank], lane, own.window.largest + (own.is_lost ? lost : 0), slots.meeting);
  }
  slots.meeting.wait(0);
  const bool there = lane < gridDim.x;
  const std::int64_t seen = there ? slots.seen[lane] : 0;
  int128 sum = 0;
  if (there) sum = int128(slots.high[lane]) << 64 | std::uint64_t(slots.low[lane]);
  own.window.largest = warp_max(unsigned(seen));
  const unsigned above = there ? own.window.largest - unsigned(seen) : 0;
  const int128 aligned = above < 127 ? sum >> above : 0;
  const bool is_lost = seen >= lost || (above < 127 ? aligned << above : 0) != sum;
  short_limbs limbs(aligned);
  limbs.add_lanes();
  return {limbs.value(), own.window, any_lane(is_lost)};
}

/// Writes the answer of x[n], a plain one (has_plain_sum); false: it does not, in any thread of any
/// block. Every thread of the block calls it. shared: 8 words for each warp, and one.
template <class T, unsigned Vectors, bool Cluster>
ONEFOLD_DEVICE bool answer_by_window(const T* x, unsigned n, const finish_list& list,
                                     std::uint32_t* shared) {
  using bits = typename detail::float_format<T>::bits;
  constexpr auto not_finite = unsigned(detail::float_format<T>::max_field);
  const unsigned warps = blockDim.x / warp_lanes, lane = lane_index();
  const unsigned warp = threadIdx.x / warp_lanes;
  if constexpr (Cluster)
    if (threadIdx.x == 0) slots_of_window().meeting.begin();
  window_share<T, Vectors, Cluster> share(x, n);
  if constexpr (Cluster) sync_cluster();
  const unsigned largest = warp_max(share.largest_field());
  if (lane == 0) shared[warp] = largest;
  __syncthreads();
  const sum_window<T, Cluster> window = {warp_max(lane < warps ? shared[lane] : 0)};
  if (!Cluster && window.largest == not_finite) return false;

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
    window_total<T, Cluster> total = {limbs.value(), window, any_lost};
    if constexpr (Cluster) {
      total.is_lost |= window.largest == not_finite;
      total = joined_blocks(total);
    }
    const bool writes = !total.is_lost && has_answer<T>(total.sum, total.window, list);
    if (writes && lane == 0 && (!Cluster || cluster_rank() == 0))
      write_integer<T>(total.sum, total.window, n, list);
    if (lane == 0) shared[warps] = writes;
  }
  __syncthreads();
  return shared[warps] != 0;
}

/// Shape:  x[n], n > 0, of at most a vector of 16 bytes a thread, and some elements before the
///         vectors and after them; list: has_plain_sum; one block of a multiple of 32 threads, at
///         most most_window_threads; dynamic shared memory as for exact_whole.
/// Error:  none: the answer is as on the host.
/// Order:  none: integers.
template <class T>
__global__ void __launch_bounds__(most_window_threads)
    sum_by_window(const T* x, unsigned n, ONEFOLD_KERNEL_ARGUMENT finish_list list) {
  ONEFOLD_DYNAMIC_SHARED(std::int64_t, shared);
  if (answer_by_window<T, 1, false>(x, n, list, reinterpret_cast<std::uint32_t*>(shared))) return;
  __syncthreads();
  reduce_whole<accumulator::total, T, second::none, all_checks, unwatched, usual_lanes>(
      x, x, n, [](std::int64_t*) { return true; }, nullptr, unwatched(), list, shared);
}

/// Words of dynamic shared memory of a block of a cluster.
template <class T>
ONEFOLD_HOST_DEVICE constexpr unsigned cluster_window_words(unsigned threads, unsigned blocks) {
  return exact_shared_words<accumulator::total, T>(threads) +
         blocks * unsigned(terms<accumulator::total, T>::words);
}

/// As sum_by_window, by one cluster of at most most_window_blocks blocks, of at most Vectors
/// vectors a thread; dynamic shared memory: cluster_window_words.
template <class T, unsigned Vectors>
__global__ void __launch_bounds__(most_window_threads)
    sum_by_cluster(const T* x, unsigned n, ONEFOLD_KERNEL_ARGUMENT finish_list list) {
  ONEFOLD_DYNAMIC_SHARED(std::int64_t, shared);
  if (answer_by_window<T, Vectors, true>(x, n, list, reinterpret_cast<std::uint32_t*>(shared)))
    return;
  constexpr unsigned count = terms<accumulator::total, T>::words;
  std::int64_t* const meeting = shared + exact_shared_words<accumulator::total, T>(blockDim.x);
  // To the first block, which adds.
  const auto join = [&](std::int64_t* totals) {
    ONEFOLD_ROLLED
    for (unsigned i = threadIdx.x; i < count; i += blockDim.x)
      write_at(meeting + cluster_rank() * count + i, 0, totals[i]);
    meet_cluster();
    if (cluster_rank() != 0) return false;
    ONEFOLD_ROLLED
    for (unsigned i = threadIdx.x; i < count; i += blockDim.x) {
      totals[i] = 0;
      ONEFOLD_ROLLED
      for (unsigned block = 0; block < gridDim.x; ++block) totals[i] += meeting[block * count + i];
    }
    return true;
  };
  __syncthreads();
  reduce_whole<accumulator::total, T, second::none, all_checks, unwatched, usual_lanes>(
      x, x, n, join, nullptr, unwatched(), list, shared);
}

}  // namespace onefold::cuda
