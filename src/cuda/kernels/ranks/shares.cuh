// SPDX-License-Identifier: Apache-2.0
#pragma once
// Shares of all ranks become the answers of this rank's share, element by element. A lane has the
// columns of a vector of 16 bytes, and writes their answers as one vector: there are few rows, so
// that an answer may not take much longer than its elements.

#include "cuda/kernels/ranks/shares.hpp"
#include "cuda/rounding/quick_answer.cuh"

namespace onefold::cuda {

struct shares_arguments {
  shares_request request;
  bool aligned;        ///< all rows begin at multiples of 16 bytes
  quotient_bounds by;  ///< of means
};

inline shares_arguments arguments_of(const shares_request& request) {
  const auto address = reinterpret_cast<std::uintptr_t>(request.own);
  const auto rows = reinterpret_cast<std::uintptr_t>(request.received);
  const std::int64_t row_bytes = request.items * std::int64_t(size_bytes(request.type));
  return {request, (address | rows | std::uintptr_t(row_bytes)) % 16 == 0,
          quotient_by(request.ranks)};
}

inline constexpr unsigned shares_threads = 256;

template <class T>
class share_columns {
 public:
  using Terms = batched_terms<accumulator::total, T>;
  using bits = typename Terms::bits;
  using sum = typename Terms::short_sum;
  static constexpr int items = vector_items<T>, loads = 4;

  ONEFOLD_DEVICE share_columns(const shares_arguments& a, std::int64_t vector)
      : a_(a), first_(vector * items),
        count_(int(max(std::int64_t(0), min(std::int64_t(items), a.request.items - first_)))),
        whole_(a.aligned && count_ == items) {}

  /// Adds all rows and writes the answers. Returns a bit for each that is ambiguous.
  ONEFOLD_DEVICE unsigned reduce() {
    if (count_ == 0) return 0;
    T* const own = static_cast<T*>(a_.request.own) + first_;
    own_ = whole_ ? *reinterpret_cast<const vector_of<T>*>(own) : load(own);  // written below
    add(own_, std::make_integer_sequence<int, items>());
    ONEFOLD_ROLLED
    for (int row = 0; row < a_.request.ranks; row += loads) {
      vector_of<T> v[loads];
      ONEFOLD_UNROLL
      for (int i = 0; i < loads; ++i)
        if (is_other(row + i)) v[i] = load(received(row + i));
      ONEFOLD_UNROLL
      for (int i = 0; i < loads; ++i)
        if (is_other(row + i)) add(v[i], std::make_integer_sequence<int, items>());
    }
    return write(own, std::make_integer_sequence<int, items>());
  }

  /// Writes the own elements to their row of the received ones, for the fallback.
  ONEFOLD_DEVICE void keep_own() const { store(received(a_.request.rank), own_); }

  ONEFOLD_DEVICE std::int64_t first() const { return first_; }

 private:
  ONEFOLD_DEVICE bool is_other(int row) const {
    return row < a_.request.ranks && row != a_.request.rank;
  }
  ONEFOLD_DEVICE T* received(int row) const {
    return static_cast<T*>(a_.request.received) + row * a_.request.items + first_;
  }

  ONEFOLD_DEVICE static vector_of<T> vector_from(const bits (&all)[items]) {
    if constexpr (sizeof(T) == 8) {
      return {all[0], all[1]};
    } else {
      std::uint32_t words[4] = {};
      ONEFOLD_UNROLL
      for (int i = 0; i < items; ++i)
        words[i * sizeof(T) / 4] |= std::uint32_t(all[i]) << 8 * (i * sizeof(T) % 4);
      return make_uint4(words[0], words[1], words[2], words[3]);
    }
  }

  ONEFOLD_DEVICE vector_of<T> load(const T* at) const {
    if (whole_) return load_items(at);
    bits some[items] = {};
    ONEFOLD_UNROLL
    for (int i = 0; i < items; ++i)
      if (i < count_) some[i] = bits_at(at + i);
    return vector_from(some);
  }
  ONEFOLD_DEVICE void store(T* at, const vector_of<T>& v) const {
    if (whole_) {
      *reinterpret_cast<vector_of<T>*>(at) = v;
      return;
    }
    store_some(at, v, std::make_integer_sequence<int, items>());
  }
  template <int... I>
  ONEFOLD_DEVICE void store_some(T* at, const vector_of<T>& v,
                                 std::integer_sequence<int, I...>) const {
    ((I < count_ ? write_bits<T>(at, I, bits_in<T, I>(v)) : void()), ...);
  }

  template <int... I>
  ONEFOLD_DEVICE void add(const vector_of<T>& v, std::integer_sequence<int, I...>) {
    (Terms::add(sums_[I], bits_in<T, I>(v)), ...);
  }
  template <int... I>
  ONEFOLD_DEVICE unsigned write(T* to, std::integer_sequence<int, I...>) {
    bits made[items];
    const unsigned certain = ((unsigned(answer(sums_[I], made[I])) << I) | ...);
    store(to, vector_from(made));
    return ~certain & ((1u << count_) - 1);
  }
  ONEFOLD_DEVICE bool answer(const sum& sum, bits& made) const {
    if (!a_.request.mean) return plain_bits<T>(sum, made);
    const answer_form form = {answer_form::kind::mean, dtype_of<T>, a_.request.ranks};
    if (bits_of_mean<T>(sum, a_.request.ranks, a_.by, made)) return true;
    return write_slowly(sum, form, &made, 0);
  }

  const shares_arguments& a_;
  std::int64_t first_;
  int count_;
  bool whole_;
  vector_of<T> own_;
  sum sums_[items];
};

/// The exact fallback of a warp's ambiguous answers, one after the other. Every lane of the warp
/// calls it, with its own bits. words: of shared memory, Terms::digits of each warp.
template <class T>
ONEFOLD_DEVICE void fallback_shares(const shares_request& request, const share_columns<T>& columns,
                                    unsigned ambiguous, std::int64_t* words) {
  using Terms = typename share_columns<T>::Terms;
  if (ambiguous != 0) columns.keep_own();
  __syncwarp();
  const auto kind = request.mean ? answer_form::kind::mean : answer_form::kind::sum;
  const answer_form form = {kind, dtype_of<T>, request.ranks};
  ONEFOLD_ROLLED
  for (unsigned left; (left = __ballot_sync(whole_warp, ambiguous != 0)) != 0;) {
    const int from = __ffs(int(left)) - 1;
    const std::int64_t next = columns.first() + __ffs(int(ambiguous)) - 1;
    const std::int64_t k = __shfl_sync(whole_warp, static_cast<long long>(next), from);
    const strided_range column = {request.items, request.ranks, request.ranks, 0};
    Terms::fallback(static_cast<const T*>(request.received) + k, column, form, words, request.own,
                    k);
    if (lane_index() == unsigned(from)) ambiguous &= ambiguous - 1;
  }
}

/// Shape:  own[items], received[ranks][items], which does not overlap it; aligned to T; any grid of
///         shares_threads lanes.
/// Error:  none: answers are rounded once (docs/numerics/intervals.md, sections 1 and 6).
/// Order:  none.
template <class T>
__global__ void __launch_bounds__(shares_threads) reduce_shares(shares_arguments a) {
  using columns = share_columns<T>;
  using Terms = typename columns::Terms;
  __shared__ std::int64_t words[shares_threads / warp_lanes * Terms::digits];
  const std::int64_t vectors = (a.request.items + columns::items - 1) / columns::items;
  const std::int64_t step = std::int64_t(gridDim.x) * shares_threads;
  std::int64_t vector = std::int64_t(blockIdx.x) * shares_threads + threadIdx.x;
  ONEFOLD_ROLLED
  for (; vector - std::int64_t(lane_index()) < vectors; vector += step) {
    columns here(a, vector);
    const unsigned ambiguous = here.reduce();
    if (__ballot_sync(whole_warp, ambiguous != 0) != 0)
      fallback_shares<T>(a.request, here, ambiguous,
                         words + threadIdx.x / warp_lanes * Terms::digits);
  }
}

}  // namespace onefold::cuda
