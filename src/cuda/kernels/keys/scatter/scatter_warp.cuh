// SPDX-License-Identifier: Apache-2.0
#pragma once
// A warp at a tile of the columns of an answer: the rows of a list, their sums in every lane of a
// vector, and the answers, with the exact fallback.

#include "cuda/kernels/keys/scatter/scatter_columns.cuh"

namespace onefold::cuda {

template <class T>
ONEFOLD_COLD void fall_back(const scatter_launch& a, std::int64_t* memory, std::int64_t answer,
                            std::int64_t tile, std::uint32_t ambiguous);

template <class T>
class scatter_warp {
 public:
  using traits = terms<accumulator::total, T>;
  using bits = typename detail::float_format<T>::bits;
  using sum = typename batched_terms<accumulator::total, T>::sum;
  using short_sum = typename batched_terms<accumulator::total, T>::short_sum;
  using columns = lane_columns<T, sum>;
  static constexpr int items = vector_items<T>;
  // Independent, of a lane.
  static constexpr int loads = 8, middle_loads = sizeof(T) == 2 ? 4 : 8, unaligned_loads = 2;

  /// 64-bit words of shared memory of a warp: of exact sums, and the numbers of a list's rows.
  static constexpr unsigned memory_words = traits::words + short_rows / 2;

  /// memory: memory_words of shared memory, the warp's own.
  ONEFOLD_DEVICE scatter_warp(const scatter_launch& a, std::int64_t* memory)
      : a_(a), memory_(memory), lane_(lane_index() & ((1u << a.log2_across) - 1)),
        place_(lane_index() >> a.log2_across), down_(warp_lanes >> a.log2_across) {}

  ONEFOLD_DEVICE void add_exactly(std::int64_t answer, std::int64_t tile, std::uint32_t ambiguous) {
    open(tile);
    const list_range list = range(answer);
    ONEFOLD_ROLLED
    for (int i = 0; i < items; ++i, ambiguous >>= 1) {
      ONEFOLD_ROLLED
      for (unsigned left = __ballot_sync(whole_warp, (ambiguous & 1) != 0); left != 0;
           left &= left - 1) {
        __syncwarp();  // another lane has written the answer
        add_exactly(answer, list, of_lane(column_ + i, __ffs(int(left)) - 1));
      }
    }
  }

 protected:
  ONEFOLD_DEVICE std::uint32_t offset_of(std::int64_t answer) const {
    // Offsets of the caller may be any.
    return std::uint32_t(max(min(a_.offsets[answer], a_.request.rows), std::int64_t(0)));
  }
  ONEFOLD_DEVICE list_range range(std::int64_t answer) const {
    const std::uint32_t first = offset_of(answer);
    return {first, max(offset_of(answer + 1), first)};
  }
  // The row at a position of all lists.
  ONEFOLD_DEVICE std::uint32_t number_at(std::uint32_t position) const {
    return a_.places == nullptr ? position : a_.places[position];
  }
  ONEFOLD_DEVICE unsigned across() const { return 1u << a_.log2_across; }
  ONEFOLD_DEVICE void open(std::int64_t tile) {
    column_ = ((tile << a_.log2_across) + lane_) * items;
    count_ = int(max(min(a_.request.n - column_, std::int64_t(items)), std::int64_t(0)));
  }
  ONEFOLD_DEVICE const T* row(std::uint32_t number) const {
    const auto* const first = reinterpret_cast<const char*>(a_.request.x) + column_ * sizeof(T);
    return reinterpret_cast<const T*>(first +
                                      number * (a_.request.stride * std::int64_t(sizeof(T))));
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
  ONEFOLD_DEVICE columns added(const list_range& list) const {
    columns total;
    const std::uint32_t last = count_ > 0 ? list.last : list.first;
    ONEFOLD_ROLLED
    for (std::uint32_t i = list.first + place_; i < last; i += middle_loads * down_) {
      vector_of<T> v[middle_loads] = {};  // or their registers are kept from round to round
      ONEFOLD_UNROLL
      for (int l = 0; l < middle_loads; ++l)
        if (i + l * down_ < last) v[l] = load(row(number_at(i + l * down_)));
      ONEFOLD_UNROLL
      for (int l = 0; l < middle_loads; ++l)
        if (i + l * down_ < last) total.add(v[l]);
    }
    total.join(across());
    return total;
  }

  ONEFOLD_DEVICE bool has_initial(const list_range& list) const {
    return a_.request.has_initial_term(list.count());
  }
  ONEFOLD_DEVICE const T* initial(std::int64_t answer) const {
    return static_cast<const T*>(a_.request.initial) +
           (answer * a_.request.initial_stride + column_);
  }
  ONEFOLD_DEVICE bits* output(std::int64_t answer) const {
    return static_cast<bits*>(a_.request.out) + (answer * a_.request.n + column_);
  }
  ONEFOLD_DEVICE void write_vector(std::int64_t answer, const std::uint32_t (&words)[4]) const {
    if (place_ == 0 && count_ > 0)
      write_once(reinterpret_cast<uint4*>(output(answer)),
                 make_uint4(words[0], words[1], words[2], words[3]));
  }
  ONEFOLD_DEVICE static void put(std::uint32_t (&words)[4], int item, bits made) {
    const int byte = item * int(sizeof(T));
    if constexpr (sizeof(T) == 8)
      words[byte / 4] = std::uint32_t(made), words[byte / 4 + 1] = std::uint32_t(made >> 32);
    else
      words[byte / 4] |= std::uint32_t(made) << 8 * (byte % 4);
  }

  // Every lane has the total of its columns, with the initial element; those of place 0 write.
  ONEFOLD_DEVICE void write(std::int64_t answer, const list_range& list, std::int64_t tile,
                            const columns& total) {
    const std::int64_t divisor = a_.request.divisor(list.count());
    std::uint32_t ambiguous = 0;
    if (a_.request.is_mean) {
      const quotient_bounds by = quotient_by(divisor);
      ambiguous = written(answer, [&](int i, bits& made) {
        return mean_bits<T>(total.sums[i], divisor, by, made);
      });
    } else {
      ambiguous =
          written(answer, [&](int i, bits& made) { return plain_bits<T>(total.sums[i], made); });
    }
    if (any_lane(ambiguous != 0)) fall_back<T>(a_, memory_, answer, tile, ambiguous);
  }
  // Writes what round(i, bits) makes of column i; the columns that it says are ambiguous.
  template <class Round>
  ONEFOLD_DEVICE std::uint32_t written(std::int64_t answer, const Round& round) const {
    std::uint32_t ambiguous = 0, words[4] = {0, 0, 0, 0};
    const int writes = place_ == 0 ? count_ : 0;
    bits* const to = output(answer);
    ONEFOLD_UNROLL
    for (int i = 0; i < items; ++i) {
      bits made;
      if (!round(i, made) && i < writes) ambiguous |= 1u << i;
      if (i < writes && !a_.aligned) to[i] = made;
      put(words, i, made);
    }
    if (a_.aligned) write_vector(answer, words);
    return ambiguous;
  }

 private:
  ONEFOLD_DEVICE void add_exactly(std::int64_t answer, const list_range& list,
                                  std::int64_t column) const {
    const row_scatter& request = a_.request;
    const T* const x = static_cast<const T*>(request.x) + column;
    const bool with_initial = has_initial(list);
    const auto from = reinterpret_cast<std::intptr_t>(request.x),
               to = reinterpret_cast<std::intptr_t>(request.initial);
    const std::int64_t apart = with_initial ? (to - from) / std::intptr_t(sizeof(T)) : 0;
    exact_scatter<T>(x,
                     {a_.places, list.first, list.count(), request.stride,
                      apart + answer * request.initial_stride, list.count() + with_initial},
                     request.divisor(list.count()), request.is_mean, memory_, request.out,
                     answer * request.n + column);
  }

 protected:
  const scatter_launch& a_;
  std::int64_t* memory_;
  unsigned lane_, place_, down_;
  std::int64_t column_ = 0;
  int count_ = 0;  // columns of this lane
};

template <class T>
ONEFOLD_COLD void fall_back(const scatter_launch& a, std::int64_t* memory, std::int64_t answer,
                            std::int64_t tile, std::uint32_t ambiguous) {
  scatter_warp<T>(a, memory).add_exactly(answer, tile, ambiguous);
}

}  // namespace onefold::cuda
