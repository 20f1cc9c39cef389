// SPDX-License-Identifier: Apache-2.0
#pragma once
// Folds of segments whose element type is known when they are compiled: exact sums.

#include "cuda/accumulators/answer_terms.cuh"
#include "cuda/accumulators/bool_bytes.cuh"
#include "cuda/kernels/segments/usual_answer.cuh"
#include "cuda/kernels/segments/window.cuh"

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

/// Terms: batched_terms, batched_integers.
template <class Terms>
class segment_sums {
 public:
  using T = typename Terms::element;
  using sum = typename Terms::sum;
  using element = T;
  /// What a lane or a warp has of a segment in a work range.
  using part = sum;
  /// Elements of segments that are a lane's, one by one.
  static constexpr int few = sizeof(T) == 8 ? 8 : 16;
  static constexpr int digits = Terms::digits;
  static constexpr bool takes_rows = false;  ///< there are kernels of rows
  static constexpr bool is_sum = true;

  ONEFOLD_DEVICE explicit segment_sums(const segment_arguments& a)
      : a_(a), usual_(usual_form_of<T>(a.form)) {}

  ONEFOLD_DEVICE static constexpr unsigned bytes() { return sizeof(T); }
  ONEFOLD_DEVICE static constexpr int items_of(int bytes) {
    return int(unsigned(bytes) / sizeof(T));
  }
  ONEFOLD_DEVICE static sum nothing() { return {}; }
  /// Elements from … until - 1, at most `most`, which is the same in every lane.
  template <class Window>
  ONEFOLD_DEVICE void add_few(part& to, const Window& window, int from, int until, int most) const {
    const bits* const items = window.template items<bits>(from);
    const int count = until - from;
    in_lane(to, [&](auto& own) {
      ONEFOLD_ROLLED
      for (int i = 0; i < most; i += 4) {
        ONEFOLD_UNROLL
        for (int j = 0; j < 4; ++j)
          if (i + j < count) Terms::add(own, items[i + j]);
      }
    });
  }
  /// The share of lane `first` of `step` in elements from … until - 1: vectors in turns. Of its
  /// first and last one some elements may be others'.
  template <class Window>
  ONEFOLD_DEVICE void add_items(part& to, const Window& window, int from, int until, int first,
                                int step) const {
    if (from >= until) return;  // its vector may not be there
    const int low = from * int(sizeof(T)), high = until * int(sizeof(T));
    in_lane(to, [&](auto& own) {
      int at = (low & -16) + 16 * first;
      ONEFOLD_ROLLED
      while (at < high) {
        add_edge(own, window.vector(at), low - at, high - at);
        at += 16 * step;
        ONEFOLD_ROLLED
        for (; at + 16 * step < high; at += 16 * step) Terms::add_vector(own, window.vector(at));
      }
    });
  }
  /// The same of at most slot_vectors vectors, in two steps: loaded together, they free the window
  /// before they are added up.
  struct slot {
    vector_of<T> vectors[slot_vectors];
  };
  template <class Window>
  ONEFOLD_DEVICE static void load_slot(slot& to, const Window& window, int from, int until,
                                       int first, int step) {
    const int at = (from * int(sizeof(T)) & -16) + 16 * first, high = until * int(sizeof(T));
    ONEFOLD_UNROLL
    for (int i = 0; i < slot_vectors; ++i)
      if (at + 16 * step * i < high) to.vectors[i] = window.vector(at + 16 * step * i);
  }
  ONEFOLD_DEVICE void add_slot(part& to, const slot& slot, int from, int until, int first,
                               int step) const {
    const int low = from * int(sizeof(T)), high = until * int(sizeof(T));
    const int at = (low & -16) + 16 * first;
    in_lane(to, [&](auto& own) {
      add_edge(own, slot.vectors[0], low - at, high - at);
      ONEFOLD_UNROLL
      for (int i = 1; i < slot_vectors; ++i)
        add_edge(own, slot.vectors[i], 0, high - at - 16 * step * i);
    });
  }
  /// As window.take_stages. Not in float32: a long segment has too many additions to be exact.
  template <class Window>
  ONEFOLD_DEVICE static int add_stages(part& to, Window& window, int at, int stop) {
    return window.take_stages(at, stop, [&](const auto& v, int) { Terms::add_vector(to, v); });
  }
  ONEFOLD_DEVICE static sum sum_of(const part& part, std::int64_t) { return part; }
  /// Room for more: counters of 2^31 blocks have it.
  ONEFOLD_DEVICE static void settle(sum& other) {
    if constexpr (std::is_same_v<sum, counter_sum<2>>) {
      other.counts[1] += other.counts[0] >> 32;
      other.counts[0] &= 0xFFFFFFFF;
    }
  }

  /// Writes answer first + lane of n elements, if it is as most are.
  ONEFOLD_DEVICE unsigned write_usual(const sum& sum, std::int64_t n, std::int64_t first,
                                      int lane) const {
    if constexpr (digits == 0) {
      const dtype output = a_.form.output;
      if (output != dtype::i64 && output != dtype::u64) return left_open;
      write_plain<T>(sum, a_.form, static_cast<std::uint64_t*>(a_.block.out) + first, lane);
      const bool wraps = a_.request.accuracy == accuracy::fast;
      return !wraps && exceeds(sum, output) ? unsigned(sum_does_not_fit) : 0u;
    } else {
      auto* const out = static_cast<bits*>(a_.block.out) + first;
      return write_as_usual<T>(sum, usual_, int(n), out, lane) ? 0u : left_open;
    }
  }
  /// Writes answer k.
  ONEFOLD_DEVICE unsigned write_rest(const sum& sum, std::int64_t n, std::int64_t k) const {
    answer_form form = a_.form;
    form.n = n;
    if constexpr (digits == 0) {
      write_answer(sum, form, a_.block.out, k);
      const bool wraps = a_.request.accuracy == accuracy::fast;
      if (n > std::int64_t(1) << 31) return segment_is_too_long;
      return !wraps && exceeds(sum, form.output) ? unsigned(sum_does_not_fit) : 0u;
    } else {
      // Pairs have no root; of 2^32 elements a second look costs next to nothing.
      const bool is_root = form.which == answer_form::kind::root && n > 0;
      const bool no_pair = sizeof(T) == 8 && (is_root || n >= std::int64_t(1) << 32);
      return !no_pair && write_with_care(sum, form, a_.block.out, k) ? 0u : left_open;
    }
  }
  /// The same by the whole warp, from the elements.
  ONEFOLD_DEVICE void fallback(std::int64_t begin, std::int64_t n, std::int64_t k,
                               std::int64_t* words) const {
    answer_form form = a_.form;
    form.n = n;
    Terms::fallback(static_cast<const T*>(a_.block.x) + begin, {1, n, n, 0}, form, words,
                    a_.block.out, k);
  }

 private:
  using bits = typename Terms::bits;

  // Sums of 16 bits and to 16 bits may do with an interval of float32.
  static constexpr bool may_be_narrow =
      sizeof(T) == 2 && std::is_same_v<part, interval_sum> && !Terms::has_products;

  template <class Add>
  ONEFOLD_DEVICE void in_lane(part& to, const Add& add) const {
    if constexpr (may_be_narrow) {
      if (a_.form.output != dtype::f32) {
        interval_sum_of<upward, float> own;
        add(own);
        to.join({own.u, own.minus_d});
        return;
      }
    }
    add(to);
  }
  // Bytes low … high - 1 of a vector.
  template <class Sum>
  ONEFOLD_DEVICE static void add_edge(Sum& to, const vector_of<T>& v, int low, int high) {
    if constexpr (sizeof(T) == 1)
      Terms::add_vector(to,
                        make_uint4(kept(v.x, low, high), kept(v.y, low - 4, high - 4),
                                   kept(v.z, low - 8, high - 8), kept(v.w, low - 12, high - 12)));
    else
      add_some(to, v, low, high, std::make_integer_sequence<int, vector_items<T>>());
  }
  template <class Sum, int... I>
  ONEFOLD_DEVICE static void add_some(Sum& to, const vector_of<T>& v, int low, int high,
                                      std::integer_sequence<int, I...>) {
    const auto add_if = [&](int byte, bits element) {
      if (low <= byte && byte < high) Terms::add(to, element);
    };
    (add_if(I * int(sizeof(T)), bits_in<T, I>(v)), ...);
  }
  // Bytes low … high - 1 of a word, the others zero.
  ONEFOLD_DEVICE static std::uint32_t kept(std::uint32_t word, int low, int high) {
    const auto below = [](int bytes) {
      return std::uint32_t(std::uint64_t(1) << 8 * min(max(bytes, 0), 4));
    };
    return word & (below(high) - below(low));
  }

  const segment_arguments& a_;
  usual_form usual_;
};

}  // namespace onefold::cuda
