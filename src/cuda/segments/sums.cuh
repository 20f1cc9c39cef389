// SPDX-License-Identifier: Apache-2.0
#pragma once
// Folds of segments whose element type is known when they are compiled: exact sums.

#include "cuda/parts/answer_terms.cuh"
#include "cuda/parts/truths.cuh"
#include "cuda/segments/cut.cuh"

namespace onefold::cuda {

/// Whether a sum of integers is more than a 64-bit output holds.
template <int Counters>
ONEFOLD_DEVICE bool exceeds(const counter_sum<Counters>& sum, dtype output) {
  std::int64_t high = sum.counts[0] >> 63;
  auto low = std::uint64_t(sum.counts[0]);
  if constexpr (Counters == 2) {
    const std::uint64_t upper = std::uint64_t(sum.counts[1]) << 32;
    low += upper;
    high += (sum.counts[1] >> 32) + (low < upper);
  }
  return output == dtype::i64 ? high != std::int64_t(low) >> 63 : output == dtype::u64 && high != 0;
}

/// Terms: many_terms, many_integers.
template <class Terms>
class segment_sums {
 public:
  using T = typename Terms::element;
  using sum = typename Terms::sum;
  using element = T;
  using part = sum;  ///< what a lane has of a segment in a window
  static constexpr int digits = Terms::digits;

  ONEFOLD_DEVICE explicit segment_sums(const segment_arguments& a) : a_(a) {}

  ONEFOLD_DEVICE static constexpr unsigned bytes() { return sizeof(T); }
  ONEFOLD_DEVICE static constexpr int items_of(int bytes) { return bytes / int(sizeof(T)); }
  ONEFOLD_DEVICE static sum nothing() { return {}; }
  /// The share of lane `first` of `step` in elements from … until - 1: whole vectors in turns,
  /// those at the ends with other elements as pads.
  template <class Window>
  ONEFOLD_DEVICE static void add_items(sum& to, const Window& window, int from, int until,
                                       int first, int step) {
    if (from >= until) return;
    const int low = from * int(sizeof(T)), high = until * int(sizeof(T));
    const int begin = low & -16, last = (high - 1) & -16;
    int edge = first == 0 ? begin : last;
    bool has = first == 0 || (first == step - 1 && last > begin);
    ONEFOLD_ROLLED
    while (has) {
      add_edge(to, window.vector(edge), low - edge, high - edge);
      has = step == 1 && edge < last;
      edge = last;
    }
    ONEFOLD_ROLLED
    for (int at = begin + 16 * (1 + first); at < last; at += 16 * step)
      Terms::add_vector(to, window.vector(at));
  }
  /// As window.take_stages.
  template <class Window>
  ONEFOLD_DEVICE static int add_stages(sum& to, Window& window, int at, int stop) {
    return window.take_stages(at, stop, [&](const auto& v, int) { Terms::add_vector(to, v); });
  }
  ONEFOLD_DEVICE static sum sum_of(const part& of, std::int64_t) { return of; }
  /// Room for more: counters of 2^31 blocks have it.
  ONEFOLD_DEVICE static void settle(sum& of) {
    if constexpr (std::is_same_v<sum, counter_sum<2>>) {
      of.counts[1] += of.counts[0] >> 32;
      of.counts[0] &= 0xFFFFFFFF;
    }
  }

  /// Writes answer k of n elements.
  ONEFOLD_DEVICE unsigned write(const sum& of, std::int64_t n, std::int64_t k) const {
    answer_form form = a_.form;
    form.n = n;
    if constexpr (digits == 0) {
      write_answer(of, form, a_.of.out, k);
      const bool wraps = a_.request.how == accuracy::fast;
      if (n > std::int64_t(1) << 31) return segment_is_too_long;
      return !wraps && exceeds(of, form.output) ? unsigned(sum_does_not_fit) : 0u;
    } else {
      // Pairs have no root, and hold what theorem 2 says of fewer than 2^33 terms.
      const bool is_root = form.what == answer_form::kind::root && n > 0;
      const bool no_pair = sizeof(T) == 8 && (is_root || n >= std::int64_t(1) << 32);
      return !no_pair && write_answer(of, form, a_.of.out, k) ? 0u : undecided;
    }
  }
  /// The same by the whole warp, from the elements.
  ONEFOLD_DEVICE void redo(std::int64_t begin, std::int64_t n, std::int64_t k,
                           std::int64_t* words) const {
    answer_form form = a_.form;
    form.n = n;
    Terms::redo(static_cast<const T*>(a_.of.x) + begin, 1, form, words, a_.of.out, k);
  }

 private:
  using bits = typename Terms::bits;

  // Bytes low … high - 1 of a vector.
  ONEFOLD_DEVICE static void add_edge(sum& to, const vector_of<T>& v, int low, int high) {
    if constexpr (sizeof(T) == 8) {
      Terms::add_vector(to, word_pair{low <= 0 ? v.x : Terms::pad, high > 8 ? v.y : Terms::pad});
    } else {
      Terms::add_vector(to,
                        make_uint4(kept(v.x, low, high), kept(v.y, low - 4, high - 4),
                                   kept(v.z, low - 8, high - 8), kept(v.w, low - 12, high - 12)));
    }
  }
  ONEFOLD_DEVICE static std::uint32_t kept(std::uint32_t word, int low, int high) {
    constexpr std::uint32_t pads = sizeof(T) == 2 ? Terms::pad * 0x10001u : Terms::pad;
    if constexpr (sizeof(T) == 4) return low <= 0 && high > 0 ? word : pads;
    if (low >= 4 || high <= 0) return pads;
    const std::uint32_t mask = 0xFFFFFFFF << 8 * max(low, 0) & 0xFFFFFFFF >> 8 * max(4 - high, 0);
    return (word & mask) | (pads & ~mask);
  }

  const segment_arguments& a_;
};

}  // namespace onefold::cuda
