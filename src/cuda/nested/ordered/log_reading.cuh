// SPDX-License-Identifier: Apache-2.0
#pragma once
// How the lanes of a warp read rows of narrow floats that are in shared memory or in registers:
// twice, for the largest element and for the terms. Their sum is exact
// (docs/numerics/logsumexp.md), so any lane may add any of them.

#include "cuda/nested/ordered/log_interval.cuh"
#include "cuda/ordered/term_window.cuh"

namespace onefold::cuda {

/// The second reading of a row.
template <class T>
struct term_lane {
  using bits = typename log_lane<T>::bits;

  chunk_exponentials<T> exponentials;
  std::uint32_t own_power;
  bool has_origin;  ///< any row of the warp
  std::uint64_t sum = 0;

  ONEFOLD_DEVICE void add(bits x) { sum += exponentials.term_of(number_of<T>(x)); }
  /// Every lane of the warp calls it, and the next one.
  template <int Units>
  ONEFOLD_DEVICE void add_all(const uint4 (&x)[Units]) {
    add_from([&](const auto& use) {
      ONEFOLD_UNROLL
      for (const uint4& each : x) for_each_item<T>(each, each, [&](auto own, auto) { use(own); });
    });
  }
  template <int Items>
  ONEFOLD_DEVICE void add_all(const bits (&x)[Items]) {
    add_from([&](const auto& use) {
      ONEFOLD_UNROLL
      for (const bits each : x) use(each);
    });
  }
  ONEFOLD_DEVICE void fold(int lanes) {
    if (lanes == int(warp_lanes)) {
      sum = warp_add(sum);
      return;
    }
    ONEFOLD_ROLLED
    for (int step = 1; step < lanes; step *= 2) sum += __shfl_xor_sync(whole_warp, sum, step);
  }

 private:
  template <class Each>
  ONEFOLD_DEVICE void add_from(const Each& each) {
    const float origin = exponentials.scale().origin;
    if (has_origin)
      each([&](bits x) { add_term(number_of<T>(x) - origin); });
    else
      each([&](bits x) { add_term(number_of<T>(x)); });
  }
  ONEFOLD_DEVICE void add_term(float d) { sum += exponentials.warp_term_from(d, own_power); }
};

/// Reads a row in shared memory twice: for its largest element, and for its terms.
template <class T>
struct log_row_reading {
  using bits = typename log_lane<T>::bits;

  const term_powers& powers;
  std::uint32_t own_power = powers.of[lane_index()];

  /// By the lanes of a row, shape.lanes of them.
  template <class Reader>
  ONEFOLD_DEVICE void operator()(const Reader& reader, const std::byte* row,
                                 log_lane<T>& lane) const {
    if constexpr (Reader::unit_bytes == 16) {
      if (reader.most() > 2)
        return twice(lane, reader.lanes(), [&](const auto& use) {
          reader.template for_each_batch<4>(row, least_elements<T>(), use);
        });
      if (reader.most() > 1) return held<2>(reader, row, lane);
      held<1>(reader, row, lane);
    } else {
      reader.add_row(row, lane);
      lane.fold(reader.lanes());
      term_lane<T> terms = terms_of(lane);
      reader.add_row(row, terms);
      terms.fold(reader.lanes());
      lane.sum = terms.sum;
    }
  }
  /// By one lane.
  ONEFOLD_DEVICE void short_row(const bits* x, int items, log_lane<T>& lane) const {
    if (items > 4) return twice(lane, 1, [&](const auto& use) { for_each_batch(x, items, use); });
    if (items > 2) return held_items<4>(x, items, lane);
    held_items<2>(x, items, lane);
  }
  /// What adds the terms of a row whose largest element is known.
  ONEFOLD_DEVICE term_lane<T> terms_of(const log_lane<T>& row) const {
    const chunk_exponentials<T> exponentials(row.largest, powers);
    return {exponentials, own_power, any_lane(exponentials.has_origin())};
  }

 private:
  // read(use) calls use(some) of all that this lane has of a row.
  template <class ReadAll>
  ONEFOLD_DEVICE void twice(log_lane<T>& lane, int lanes, const ReadAll& read) const {
    read([&](const auto& some) { lane.add_all(some); });
    lane.fold(lanes);
    term_lane<T> terms = terms_of(lane);
    read([&](const auto& some) { terms.add_all(some); });
    terms.fold(lanes);
    lane.sum = terms.sum;
  }
  // Of no more than so many vectors or elements a lane, which stay in registers.
  template <int Units, class Reader>
  ONEFOLD_DEVICE void held(const Reader& reader, const std::byte* row, log_lane<T>& lane) const {
    uint4 all[Units];
    reader.load_batch(row, 0, least_elements<T>(), all);
    twice(lane, reader.lanes(), [&](const auto& use) { use(all); });
  }
  template <int Items>
  ONEFOLD_DEVICE void held_items(const bits* x, int items, log_lane<T>& lane) const {
    bits all[Items];
    load(x, items, all);
    twice(lane, 1, [&](const auto& use) { use(all); });
  }
  template <class Use>
  ONEFOLD_DEVICE static void for_each_batch(const bits* x, int items, const Use& use) {
    constexpr int batch = 4;
    int i = 0;
    ONEFOLD_ROLLED
    for (; i + batch <= items; i += batch) {
      bits some[batch];
      load(x + i, batch, some);
      use(some);
    }
    ONEFOLD_ROLLED
    for (; i < items; ++i) {
      const bits one[1] = {x[i]};
      use(one);
    }
  }
  template <int Items>
  ONEFOLD_DEVICE static void load(const bits* x, int items, bits (&some)[Items]) {
    using format = detail::float_format<T>;
    ONEFOLD_UNROLL
    for (int i = 0; i < Items; ++i)
      some[i] = i < items ? x[i] : bits(format::infinity | format::sign_bit);
  }
};

}  // namespace onefold::cuda
