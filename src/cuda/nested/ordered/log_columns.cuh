// SPDX-License-Identifier: Apache-2.0
#pragma once
// Logarithms of sums of exponentials of columns of narrow floats, and of rows of several chunks.
// Within a chunk the largest element and the sum of the terms are exact in any order
// (docs/numerics/logsumexp.md): a lane has every `parts`-th element of a chunk, so that in each
// step neighbouring lanes read neighbouring elements, however few columns there are, and atomics
// merge the parts.

#include "cuda/nested/nest.cuh"
#include "cuda/nested/ordered/log_columns.hpp"
#include "cuda/nested/ordered/log_interval.cuh"
#include "cuda/ordered/term_window.cuh"

namespace onefold::cuda {

/// Loads of a lane at once.
inline constexpr int log_column_loads = term_window::items;
/// Every so many elements of a part are in the sample.
inline constexpr int log_column_sample = 64;

/// Where a float is in the order of its type, above 0; of a NaN the last one.
ONEFOLD_DEVICE unsigned place_of_top(float x) {
  const auto bits = __builtin_bit_cast(std::uint32_t, x);
  if (x != x) return 0xFFFFFFFF;
  return (bits >> 31) != 0 ? ~bits : bits | 0x80000000;
}
ONEFOLD_DEVICE float top_of_place(unsigned place) {
  const std::uint32_t bits = (place >> 31) != 0 ? place & 0x7FFFFFFF : ~place;
  return __builtin_bit_cast(float, place == 0xFFFFFFFF ? 0x7FC00000 : bits);
}

/// Part `part` of chunk `piece` of answer k, or every `apart`-th element of it.
template <class T>
class log_column_part {
 public:
  using bits = typename detail::float_format<T>::bits;

  ONEFOLD_DEVICE log_column_part(const log_columns& a, std::int64_t k, std::int64_t piece,
                                 std::int64_t part, int apart = 1) {
    nest_place at;
    step_into(a.of.axes, 0, a.of.axes.kept, a.of.first_output + k, at);
    const std::int64_t row = a.of.axes.axis[a.of.axes.kept].x_bytes;
    const std::int64_t first = piece * a.of.piece_items;
    const auto count = int(min(a.of.piece_items, a.of.items - first));
    left_ = part < count ? (count - int(part) - 1) / (apart * int(a.parts)) + 1 : 0;
    x_ = a.of.x + at.x + (first + part) * row, apart_ = apart * a.parts * row;
  }

  /// use(x) of so many elements at once, those after the last one -Inf.
  template <class Function>
  ONEFOLD_DEVICE void for_each_batch(const Function& use) const {
    const std::byte* at = x_;
    int left = left_;
    ONEFOLD_ROLLED
    for (; left >= log_column_loads; left -= log_column_loads, at += log_column_loads * apart_)
      use_batch(use, [&](int i) { return number_of<T>(element(at + i * apart_)); });
    if (left > 0)
      use_batch(use, [&](int i) {
        return i < left ? number_of<T>(element(at + i * apart_)) : -INFINITY;
      });
  }
  ONEFOLD_DEVICE bool empty() const { return left_ == 0; }

 private:
  ONEFOLD_DEVICE static bits element(const std::byte* at) {
    return bits_at(reinterpret_cast<const T*>(at));
  }
  template <class Function, class Element>
  ONEFOLD_DEVICE static void use_batch(const Function& use, const Element& at) {
    float held[log_column_loads];
    ONEFOLD_UNROLL
    for (int i = 0; i < log_column_loads; ++i) held[i] = at(i);
    use(held);
  }

  const std::byte* x_;
  std::int64_t apart_;
  int left_;
};

using log_column_batch = float[log_column_loads];

template <class T>
ONEFOLD_DEVICE float largest_of(const log_column_part<T>& part) {
  float largest = -INFINITY;
  part.for_each_batch([&](const log_column_batch& x) {
    ONEFOLD_UNROLL
    for (const float each : x) largest = greater_or_nan(largest, each);
  });
  return largest;
}

/// The binade of the window that holds a chunk's sum; -1: none does. top: its largest element, or
/// that of the sample.
ONEFOLD_DEVICE int window_place(const log_columns& a, std::int64_t chunk, float top) {
  if (!a.in_windows) return -1;
  const float guess = top_of_place(a.guesses[chunk]), floor = top_of_place(~a.floors[chunk]);
  return guess - floor > most_window_spread ? -1 : window_place(guess, top);
}
/// Where the sums of a binade of the windows are, or those of no window: -1.
ONEFOLD_DEVICE unsigned long long* sums_at(const log_columns& a, int place) {
  return a.sums + (place + 1) * (a.of.pieces * a.of.outputs);
}

/// The largest element of a part, and the sums of its terms in the window of its chunk.
template <class T>
ONEFOLD_DEVICE void take_window(const log_columns& a, std::int64_t chunk,
                                const log_column_part<T>& part, const log_tables& tables) {
  const float guess = top_of_place(a.guesses[chunk]);
  if (window_place(a, chunk, guess) < 0) {
    atomicMax(a.tops + chunk, place_of_top(largest_of(part)));
    return;
  }
  const chunk_exponentials<T> about(guess, tables.powers);
  term_window window;
  float largest = -INFINITY;
  part.for_each_batch([&](const log_column_batch& x) {
    ONEFOLD_UNROLL
    for (const float each : x) largest = greater_or_nan(largest, each);
    window.add(x, [&](float one) { return about.term_without_origin(one); });
  });
  atomicMax(a.tops + chunk, place_of_top(largest));
  ONEFOLD_UNROLL
  for (int place = 0; place <= window_reach; ++place)
    atomicAdd(sums_at(a, place) + chunk, (unsigned long long)(window.at(place)));
}

/// The sum of the terms of a part.
template <class T>
ONEFOLD_DEVICE void take_terms(const log_columns& a, std::int64_t chunk,
                               const log_column_part<T>& part, const log_tables& tables) {
  const chunk_exponentials<T> exponentials(top_of_place(a.tops[chunk]), tables.powers);
  unsigned long long sum = 0;
  part.for_each_batch([&](const log_column_batch& x) {
    ONEFOLD_UNROLL
    for (const float each : x) sum += exponentials.term_of(each);
  });
  if (sum != 0) atomicAdd(sums_at(a, -1) + chunk, sum);
}
/// Whether its sum is not in a window, and finite.
ONEFOLD_DEVICE bool needs_terms(const log_columns& a, std::int64_t chunk) {
  const float top = top_of_place(a.tops[chunk]);
  return top - top == 0 && window_place(a, chunk, top) < 0;
}

/// Element (o, piece, part, c) of all lanes is a part of chunk `piece` of answer k = (o, c).
template <class T>
ONEFOLD_DEVICE void take_log_columns(const log_columns& a, const log_tables& tables) {
  const std::int64_t inner = a.inner, lines = a.of.pieces * a.parts, all = a.of.outputs * lines;
  ONEFOLD_ROLLED
  for (std::int64_t q = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x; q < all;
       q += std::int64_t(gridDim.x) * blockDim.x) {
    const std::int64_t line = quotient(q, inner), o = quotient(line, lines);
    const std::int64_t in_column = line - o * lines, piece = quotient(in_column, a.parts);
    const std::int64_t k = o * inner + (q - line * inner), chunk = piece * a.of.outputs + k;
    if (a.step == log_step::terms && !needs_terms(a, chunk)) continue;
    const log_column_part<T> part(a, k, piece, in_column - piece * a.parts,
                                  a.step == log_step::sample ? log_column_sample : 1);
    if (part.empty()) continue;
    if (a.step == log_step::window) {
      take_window(a, chunk, part, tables);
    } else if (a.step == log_step::terms) {
      take_terms(a, chunk, part, tables);
    } else {
      const unsigned place = place_of_top(largest_of(part));
      atomicMax((a.step == log_step::sample ? a.guesses : a.tops) + chunk, place);
      if (a.step == log_step::sample) atomicMax(a.floors + chunk, ~place);
    }
  }
}

/// What is known of a chunk; of one without finite elements the sum is 0.
template <class T>
ONEFOLD_DEVICE exponential::scaled_sum chunk_of(const log_columns& a, std::int64_t piece,
                                                std::int64_t k, const log_tables& tables) {
  const std::int64_t chunk = piece * a.of.outputs + k;
  const float top = top_of_place(a.tops[chunk]);
  if (top - top != 0) return {0, 0};
  const int place = window_place(a, chunk, top);
  return chunk_exponentials<T>(top, tables.powers).scaled(sums_at(a, place)[chunk]);
}

/// The answers of one chunk each, by a lane.
template <class T>
ONEFOLD_DEVICE void write_log_chunks(const log_columns& a, const log_tables& tables) {
  ONEFOLD_ROLLED
  for (std::int64_t k = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x; k < a.of.outputs;
       k += std::int64_t(gridDim.x) * blockDim.x) {
    const float top = top_of_place(a.tops[k]);
    write_log_row<T>({top, sums_at(a, window_place(a, k, top))[k]}, tables, a.of.finish,
                     a.of.first_output + k);
  }
}

/// The sum of an answer's chunks against the largest shift: where it is certain, the logarithm is
/// in the interval. Every lane of the warp has it.
template <class T>
ONEFOLD_DEVICE log_interval interval_of_chunks(const log_columns& a, std::int64_t k,
                                               const log_tables& tables) {
  double shift = -INFINITY, sum = 0;
  ONEFOLD_UNROLL_BY_4
  for (std::int64_t piece = lane_index(); piece < a.of.pieces; piece += warp_lanes) {
    const auto chunk = chunk_of<T>(a, piece, k, tables);
    if (chunk.sum != 0) shift = fmax(shift, chunk.shift);
  }
  ONEFOLD_UNROLL
  for (int step = 1; step < int(warp_lanes); step *= 2)
    shift = fmax(shift, __shfl_xor_sync(whole_warp, shift, step));
  ONEFOLD_UNROLL_BY_4
  for (std::int64_t piece = lane_index(); piece < a.of.pieces; piece += warp_lanes) {
    const auto chunk = chunk_of<T>(a, piece, k, tables);
    if (chunk.sum != 0) sum += chunk.sum * exponential_of(chunk.shift - shift);
  }
  ONEFOLD_UNROLL
  for (int step = 1; step < int(warp_lanes); step *= 2)
    sum += __shfl_xor_sync(whole_warp, sum, step);
  return interval_about(shift + quick_logarithm(sum, tables), 0x1p-41);
}

/// The tree of chunks (state/chunk_tree.hpp) for one lane, with the CPU's bits: answers of several
/// chunks whose interval is ambiguous. Fewer than 2^levels chunks, in their order: two neighbours
/// of equal weight are appended at once.
class log_tree {
 public:
  static constexpr int levels = 15;

  ONEFOLD_DEVICE void push(const exponential::scaled_sum& chunk) {
    exponential::shifted_sum next = {chunk.shift, {chunk.sum, 0}};
    int level = 0;
    ONEFOLD_ROLLED
    for (; (chunks_ >> level & 1) != 0; ++level) next = appended(pending_[level], next);
    pending_[level] = next;
    ++chunks_;
  }
  ONEFOLD_DEVICE exponential::shifted_sum value() const {
    exponential::shifted_sum all;
    bool any = false;
    ONEFOLD_ROLLED
    for (int level = 0; level < levels; ++level) {
      if ((chunks_ >> level & 1) == 0) continue;
      all = any ? appended(pending_[level], all) : pending_[level];
      any = true;
    }
    return all;
  }

 private:
  ONEFOLD_DEVICE static exponential::shifted_sum appended(const exponential::shifted_sum& front,
                                                          const exponential::shifted_sum& next) {
    return exponential::appended(front, next, [](double d) { return exponential_of(d); });
  }

  exponential::shifted_sum pending_[levels];
  unsigned chunks_ = 0;
};

/// One lane, by the CPU's operations in the CPU's order.
template <class T>
ONEFOLD_COLD void finish_log_chunks(const log_columns& a, std::int64_t k, const log_tables& tables,
                                    log_sum_parts parts) {
  log_tree tree;
  ONEFOLD_ROLLED
  for (std::int64_t piece = 0; piece < a.of.pieces; ++piece)
    tree.push(chunk_of<T>(a, piece, k, tables));
  const exponential::shifted_sum all = tree.value();
  parts.shift = all.shift, parts.sum = all.sum.high, parts.low = all.sum.low;
  finish_parts(parts, a.of.finish, a.of.first_output + k);
}

/// The answers of several chunks, by a warp.
template <class T>
ONEFOLD_DEVICE void join_log_chunks(const log_columns& a, const log_tables& tables) {
  constexpr unsigned warps = nested_threads / warp_lanes;
  ONEFOLD_ROLLED
  for (std::int64_t k = std::int64_t(blockIdx.x) * warps + threadIdx.x / warp_lanes;
       k < a.of.outputs; k += std::int64_t(gridDim.x) * warps) {
    unsigned highest = 0;
    ONEFOLD_ROLLED
    for (std::int64_t piece = lane_index(); piece < a.of.pieces; piece += warp_lanes)
      highest = max(highest, a.tops[piece * a.of.outputs + k]);
    const float top = top_of_place(warp_max(highest));
    const bool certified =
        top - top == 0 && write_interval(interval_of_chunks<T>(a, k, tables), a.of.finish,
                                         a.of.first_output + k, lane_index() == 0);
    if (!certified && lane_index() == 0)
      finish_log_chunks<T>(a, k, tables, {top != top, 0, 0, top == INFINITY});
    __syncwarp();
  }
}

template <class T>
ONEFOLD_DEVICE void log_columns_of(const log_columns& a, const log_tables& tables) {
  if (a.step != log_step::answers) return take_log_columns<T>(a, tables);
  if (a.of.pieces == 1) return write_log_chunks<T>(a, tables);
  join_log_chunks<T>(a, tables);
}

/// Shape:  a request of one reduced axis, `inner` of the last kept one, of f16, bf16 or f32,
///         aligned to them, in fewer than 2^15 chunks; the steps one after another; block of
///         nested_threads, any grid.
/// Error:  docs/numerics/logsumexp.md; answers as on the host.
/// Order:  none: the same answers in every run and grid.
static __global__ void __launch_bounds__(nested_threads, 8)
    nested_log_columns(ONEFOLD_KERNEL_ARGUMENT log_columns a) {
  __shared__ log_tables tables;
  write_log_tables(tables);
  __syncthreads();
  if (a.of.input == dtype::f32) return log_columns_of<float>(a, tables);
  if (a.of.input == dtype::bf16) return log_columns_of<bf16>(a, tables);
  log_columns_of<f16>(a, tables);
}

}  // namespace onefold::cuda
