// SPDX-License-Identifier: Apache-2.0
#pragma once
// Sums and means of the rows of lists, as sums of columns: intervals of doubles, of short lists of
// 16-bit elements intervals of floats, of f64 double words; what these leave ambiguous is added
// exactly by the warp. docs/numerics/scatter.md.

#include "cuda/kernels/keys/scatter/scatter_launch.hpp"
#include "cuda/rounding/plain_answer.cuh"

namespace onefold::cuda {

/// Positions first … last - 1 of all lists.
struct list_range {
  std::int64_t first, last;

  ONEFOLD_DEVICE std::int64_t count() const { return last - first; }
};

/// A column of a list, and its initial element, for exact sums. Offsets are from its first element.
struct listed_elements {
  const std::uint32_t* places;
  std::int64_t first, rows, stride, initial, count;

  ONEFOLD_DEVICE std::int64_t at(std::int64_t i) const {
    if (i >= rows) return initial;
    return (places == nullptr ? first + i : std::int64_t(places[first + i])) * stride;
  }
};

/// Writes element k of `out` by exact arithmetic. words: terms::words of shared memory, the warp's
/// own. Every lane of the warp calls it.
template <class T>
ONEFOLD_COLD void exact_scatter(const T* x, const listed_elements& elements, std::int64_t divisor,
                                bool is_mean, std::int64_t* words, void* out, std::int64_t k) {
  using traits = terms<accumulator::total, T>;
  warp_digits<traits::limbs, traits::words>(words).clear();
  exact_fallback<accumulator::total, T>(x, x, words).add(elements);
  __syncwarp();
  if (lane_index() == 0)
    finish_digits<accumulator::total, T>(words, divisor,
                                         is_mean ? answer_form::kind::mean : answer_form::kind::sum,
                                         dtype_of<T>, out, k);
  __syncwarp();
}

/// At or above x / n; zeros and what is not finite stay as they are.
ONEFOLD_DEVICE double divided(double x, const quotient_bounds& by) {
  return x == 0 || x - x != 0 ? x : quotient_up(x, by);
}

/// The sums of a lane's columns.
template <class T, class Sum>
struct lane_columns {
  using terms = batched_terms<accumulator::total, T>;
  static constexpr int items = vector_items<T>;
  Sum sums[items];

  ONEFOLD_DEVICE void add(const vector_of<T>& v) {
    add(v, std::make_integer_sequence<int, items>());
  }
  /// The sums of all lanes whose numbers differ by multiples of `across`, in each.
  ONEFOLD_DEVICE void join(unsigned across) {
    ONEFOLD_ROLLED
    for (unsigned mask = across; mask < warp_lanes; mask *= 2) {
      ONEFOLD_UNROLL
      for (int i = 0; i < items; ++i) sums[i].join(sum_across(sums[i], int(mask)));
    }
  }

 private:
  template <int... I>
  ONEFOLD_DEVICE void add(const vector_of<T>& v, std::integer_sequence<int, I...>) {
    (terms::add(sums[I], bits_in<T, I>(v)), ...);
  }
};

template <class T>
class scatter_warp {
 public:
  using traits = terms<accumulator::total, T>;
  using bits = typename detail::float_format<T>::bits;
  using sum = typename batched_terms<accumulator::total, T>::sum;
  using columns = lane_columns<T, sum>;
  static constexpr int items = vector_items<T>;
  static constexpr int loads = 8;  // independent, of a lane

  /// words: traits::words of shared memory, the warp's own.
  ONEFOLD_DEVICE scatter_warp(const scatter_launch& a, std::int64_t* words)
      : a_(a), words_(words), lane_(lane_index() % a.across), place_(lane_index() / a.across),
        down_(warp_lanes / a.across) {}

  /// Adds the lists of an answer, unless it is long.
  ONEFOLD_DEVICE void take_answer(std::int64_t answer, std::int64_t tile) {
    const list_range list = range(answer);
    if (a_.is_long(list.count())) return;
    open(tile);
    if (list.count() == 0) return write_empty(answer);
    if constexpr (sizeof(T) == 2) {
      if (list.count() <= short_rows) {
        const auto narrow = added<lane_columns<T, interval_sum_of<upward, float>>>(list);
        columns wide;
        ONEFOLD_UNROLL
        for (int i = 0; i < items; ++i)
          wide.sums[i].u = narrow.sums[i].u, wide.sums[i].minus_d = narrow.sums[i].minus_d;
        return write(answer, list, wide);
      }
    }
    write(answer, list, added<columns>(list));
  }

  /// Adds the rows of long answers among the places of a part: of the one that it begins in, and of
  /// the one that it ends in.
  ONEFOLD_DEVICE void take_part(std::int64_t part, std::int64_t tile) {
    const std::int64_t first = part * part_rows, last = min(first + part_rows, a_.request.rows);
    open(tile);
    const std::int64_t begun = answer_at(first), ended = answer_at(last - 1);
    add_part(begun, {first, last}, 2 * part);
    if (ended != begun) add_part(ended, {first, last}, 2 * part + 1);
  }

  /// Joins the parts of a long answer.
  ONEFOLD_DEVICE void join_parts(std::int64_t answer, std::int64_t tile) {
    const list_range list = range(answer);
    if (!a_.is_long(list.count())) return;
    open(tile);
    const std::int64_t first = list.first / part_rows, last = (list.last - 1) / part_rows;
    const bool begins_within = list.first % part_rows != 0;
    columns total;
    ONEFOLD_ROLLED
    for (std::int64_t part = first + place_; part <= last; part += down_) {
      const std::int64_t* const from = partial(2 * part + (part == first && begins_within));
      ONEFOLD_ROLLED
      for (int i = 0; i < count_; ++i) staged_join(total, i, from + i);
    }
    total.join(a_.across);
    write(answer, list, total);
  }

 private:
  static constexpr std::int64_t short_rows = 32;

  ONEFOLD_DEVICE list_range range(std::int64_t answer) const {
    // Offsets of the caller may be any.
    const std::int64_t rows = a_.request.rows;
    const std::int64_t first = max(min(a_.offsets[answer], rows), std::int64_t(0));
    return {first, max(min(a_.offsets[answer + 1], rows), first)};
  }
  // The last answer that begins at the position or before; -1: none.
  ONEFOLD_DEVICE std::int64_t answer_at(std::int64_t position) const {
    std::int64_t low = 0, high = a_.request.answers;
    ONEFOLD_ROLLED
    while (low < high) {
      const std::int64_t middle = (low + high) / 2;
      if (a_.offsets[middle] <= position)
        low = middle + 1;
      else
        high = middle;
    }
    return low - 1;
  }

  ONEFOLD_DEVICE void open(std::int64_t tile) {
    column_ = (tile * a_.across + lane_) * items;
    count_ = int(max(min(a_.request.n - column_, std::int64_t(items)), std::int64_t(0)));
  }
  ONEFOLD_DEVICE const T* row(std::int64_t position) const {
    const std::int64_t number = a_.places == nullptr ? position : std::int64_t(a_.places[position]);
    return static_cast<const T*>(a_.request.x) + (number * a_.request.stride + column_);
  }
  ONEFOLD_DEVICE vector_of<T> load(const T* at) const {
    if (a_.aligned) return load_items(at);
    if (count_ == items) return load_elements(at);
    if constexpr (sizeof(T) == 8) {
      return {bits_at(at), 0};
    } else {
      std::uint32_t words[4] = {0, 0, 0, 0};
      ONEFOLD_UNROLL
      for (int i = 0; i < items; ++i) {
        const int byte = i * int(sizeof(T));
        if (i < count_) words[byte / 4] |= std::uint32_t(bits_at(at + i)) << 8 * (byte % 4);
      }
      return make_uint4(words[0], words[1], words[2], words[3]);
    }
  }

  // In every lane of a vector.
  template <class Columns>
  ONEFOLD_DEVICE Columns added(const list_range& list) const {
    Columns total;
    const std::int64_t last = count_ > 0 ? list.last : list.first;
    ONEFOLD_ROLLED
    for (std::int64_t i = list.first + place_; i < last; i += loads * down_) {
      vector_of<T> v[loads];
      ONEFOLD_UNROLL
      for (int l = 0; l < loads; ++l)
        if (i + l * down_ < last) v[l] = load(row(i + l * down_));
      ONEFOLD_UNROLL
      for (int l = 0; l < loads; ++l)
        if (i + l * down_ < last) total.add(v[l]);
    }
    total.join(a_.across);
    return total;
  }

  ONEFOLD_DEVICE std::int64_t* partial(std::int64_t slot) const {
    return a_.partials + (slot * sum::parts * a_.request.n + column_);
  }
  ONEFOLD_DEVICE void add_part(std::int64_t answer, list_range part, std::int64_t slot) {
    if (answer < 0 || answer >= a_.request.answers) return;
    const list_range list = range(answer);
    if (!a_.is_long(list.count())) return;
    part = {max(part.first, list.first), min(part.last, list.last)};
    const columns total = added<columns>(part);
    std::int64_t* const to = partial(slot);
    ONEFOLD_UNROLL
    for (int i = 0; i < items; ++i)
      if (place_ == 0 && i < count_) write_sum(total.sums[i], to + i, a_.request.n);
  }
  // One column after the other, so that the loop over parts needs few registers.
  ONEFOLD_DEVICE void staged_join(columns& total, int column, const std::int64_t* from) const {
    const sum one = read_sum<sum>(from, a_.request.n);
    ONEFOLD_UNROLL
    for (int i = 0; i < items; ++i)
      if (i == column) total.sums[i].join(one);
  }

  ONEFOLD_DEVICE const T* initial(std::int64_t answer) const {
    return static_cast<const T*>(a_.request.initial) +
           (answer * a_.request.initial_stride + column_);
  }
  ONEFOLD_DEVICE void write_empty(std::int64_t answer) const {
    bits* const to = static_cast<bits*>(a_.request.out) + (answer * a_.request.n + column_);
    const bits none = a_.request.is_mean ? detail::float_format<T>::quiet_nan : bits(0);
    ONEFOLD_ROLLED
    for (int i = 0; i < count_ && place_ == 0; ++i)
      to[i] = a_.request.initial != nullptr ? bits(bits_at(initial(answer) + i)) : none;
  }

  // Every lane has the total of its columns; those of place 0 write.
  ONEFOLD_DEVICE void write(std::int64_t answer, const list_range& list, columns total) {
    const bool has_initial = a_.request.has_initial_term(list.count());
    const std::int64_t divisor = a_.request.divisor(list.count());
    if (has_initial && count_ > 0) total.add(load(initial(answer)));
    const std::int64_t k = answer * a_.request.n + column_;
    std::uint32_t ambiguous = written(total, divisor, k);
    ONEFOLD_ROLLED
    for (int i = 0; i < items; ++i, ambiguous >>= 1) {
      ONEFOLD_ROLLED
      for (unsigned left = __ballot_sync(whole_warp, (ambiguous & 1) != 0); left != 0;
           left &= left - 1) {
        __syncwarp();  // another lane has written the answer
        const auto column = std::int64_t(
            __shfl_sync(whole_warp, static_cast<long long>(column_ + i), __ffs(int(left)) - 1));
        fall_back(answer, list, column, has_initial, divisor);
      }
    }
  }
  // Which of the lane's answers are ambiguous.
  ONEFOLD_DEVICE std::uint32_t written(columns& total, std::int64_t divisor, std::int64_t k) const {
    std::uint32_t ambiguous = 0;
    const bool writes = place_ == 0;
    if constexpr (sizeof(T) == 8) {
      const answer_form form = {a_.request.is_mean ? answer_form::kind::mean
                                                   : answer_form::kind::sum,
                                dtype::f64, divisor};
      ONEFOLD_UNROLL
      for (int i = 0; i < items; ++i)
        if (writes && i < count_)
          ambiguous |= std::uint32_t(!write_answer(total.sums[i], form, a_.request.out, k + i))
                       << i;
    } else {
      const quotient_bounds by = quotient_by(divisor);
      bits* const to = static_cast<bits*>(a_.request.out) + k;
      std::uint32_t words[4] = {0, 0, 0, 0};
      ONEFOLD_UNROLL
      for (int i = 0; i < items; ++i) {
        if (a_.request.is_mean) {
          total.sums[i].u = divided(total.sums[i].u, by);
          total.sums[i].minus_d = divided(total.sums[i].minus_d, by);
        }
        bits made;
        const bool certified = plain_bits<T>(total.sums[i], made);
        const int byte = i * int(sizeof(T));
        if (writes && i < count_) ambiguous |= std::uint32_t(!certified) << i;
        if (writes && i < count_ && !a_.aligned) to[i] = made;
        words[byte / 4] |= std::uint32_t(made) << 8 * (byte % 4);
      }
      if (writes && count_ > 0 && a_.aligned)
        write_once(reinterpret_cast<uint4*>(to),
                   make_uint4(words[0], words[1], words[2], words[3]));
    }
    return ambiguous;
  }
  ONEFOLD_DEVICE void fall_back(std::int64_t answer, const list_range& list, std::int64_t column,
                                bool has_initial, std::int64_t divisor) const {
    const row_scatter& request = a_.request;
    const T* const x = static_cast<const T*>(request.x) + column;
    const auto from = reinterpret_cast<std::intptr_t>(request.x),
               to = reinterpret_cast<std::intptr_t>(request.initial);
    const std::int64_t apart = has_initial ? (to - from) / std::intptr_t(sizeof(T)) : 0;
    exact_scatter<T>(x,
                     {a_.places, list.first, list.count(), request.stride,
                      apart + answer * request.initial_stride, list.count() + has_initial},
                     divisor, request.is_mean, words_, request.out, answer * request.n + column);
  }

  const scatter_launch& a_;
  std::int64_t* words_;
  unsigned lane_, place_, down_;
  std::int64_t column_ = 0;
  int count_ = 0;  // columns of this lane
};

/// Shape:  lists or segments of x[rows][n]; out[answers][n]; blocks of whole warps; any grid;
///         dynamic shared memory for terms<total, T>::words of 64 bits a warp. Parts of long
///         answers are written; with `joins` they are joined.
/// Error:  none: answers are rounded once.
/// Order:  none: the same bits in every run, grid and order of the lists.
template <class T>
__global__ void __launch_bounds__(scatter_threads, 4) scatter_sums(scatter_launch a, bool joins) {
  ONEFOLD_DYNAMIC_SHARED(std::int64_t, shared);
  const unsigned warps = blockDim.x / warp_lanes, own = threadIdx.x / warp_lanes;
  scatter_warp<T> warp(a, shared + own * terms<accumulator::total, T>::words);
  const std::int64_t parts = joins ? 0 : a.parts();
  const std::int64_t tasks = (parts + a.request.answers) * a.tiles;
  ONEFOLD_ROLLED
  for (std::int64_t task = std::int64_t(blockIdx.x) * warps + own; task < tasks;
       task += std::int64_t(gridDim.x) * warps) {
    const std::int64_t list = task / a.tiles, tile = task - list * a.tiles;
    if (joins)
      warp.join_parts(list, tile);
    else if (list < parts)
      warp.take_part(list, tile);
    else
      warp.take_answer(list - parts, tile);
  }
}

using scatter_kernel = void (*)(scatter_launch, bool);

/// Words of shared memory of a warp, and the kernel.
struct scatter_start {
  scatter_kernel kernel;
  unsigned words;
};
inline scatter_start scatter_start_of(dtype type) {
  return with_floating<scatter_start>(type, []<class T>(detail::tag<T>) {
    return scatter_start{scatter_sums<T>, unsigned(terms<accumulator::total, T>::words)};
  });
}

}  // namespace onefold::cuda
