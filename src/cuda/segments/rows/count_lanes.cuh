// SPDX-License-Identifier: Apache-2.0
#pragma once
// Counts and bits of rows by tiles: elements of 8 and 16 bits are taken in words.

#include "cuda/parts/load.cuh"
#include "cuda/segments/counts.cuh"

namespace onefold::cuda {

/// Elements that are not zero, and NaNs.
template <class Raw>
class count_lane {
 public:
  ONEFOLD_DEVICE explicit count_lane(const element_kind& kind) {
    const std::uint64_t all = ~std::uint64_t(0) >> (64 - 8 * sizeof(Raw));
    magnitude_ = word((kind.floating ? all >> 1 : all) * copies);
    largest_ = word((kind.floating ? kind.infinity : all >> (sizeof(Raw) <= 2)) * copies);
  }
  ONEFOLD_DEVICE count_lane none() const {
    count_lane made = *this;
    made.nonzeros_ = made.nans_ = 0;
    return made;
  }

  ONEFOLD_DEVICE void add_unit(const uint4& x, std::uint32_t) {
    add(x.x), add(x.y), add(x.z), add(x.w);
  }
  ONEFOLD_DEVICE void add_unit(const word_pair& x, std::uint32_t) { add(x.x), add(x.y); }
  ONEFOLD_DEVICE void add_unit(Raw x, std::uint32_t) { add(x); }
  ONEFOLD_DEVICE void join(const count_lane& other) {
    nonzeros_ += other.nonzeros_, nans_ += other.nans_;
  }
  ONEFOLD_DEVICE void fold(int lanes) {
    ONEFOLD_ROLLED
    for (int mask = 1; mask < lanes; mask *= 2) {
      nonzeros_ += __shfl_xor_sync(whole_warp, nonzeros_, mask);
      nans_ += __shfl_xor_sync(whole_warp, nans_, mask);
    }
  }
  ONEFOLD_DEVICE counts_sum sum() const { return {nonzeros_, nans_}; }

 private:
  using word = std::conditional_t<sizeof(Raw) == 8, std::uint64_t, std::uint32_t>;
  static constexpr std::uint64_t copies = sizeof(Raw) == 1   ? 0x01010101
                                          : sizeof(Raw) == 2 ? 0x00010001
                                                             : 1;
  static constexpr word tops = word(copies << (8 * sizeof(Raw) - 1));

  ONEFOLD_DEVICE void add(word x) {
    const word magnitude = x & magnitude_;
    if constexpr (sizeof(Raw) <= 2) {
      // Added to the lower bits of an element, tops - 1 carries into the top one if any is set.
      constexpr word lower = ~tops;
      nonzeros_ += __popc((((magnitude & lower) + lower) | magnitude) & tops);
      if constexpr (sizeof(Raw) == 2)
        nans_ += __popc(((magnitude & lower) + (lower - largest_)) & tops);
    } else {
      nonzeros_ += magnitude != 0, nans_ += magnitude > largest_;
    }
  }

  word magnitude_, largest_;
  std::uint32_t nonzeros_ = 0, nans_ = 0;
};

/// any, all, count, count_nonzero.
template <class Raw>
class row_counts {
 public:
  using element = Raw;
  using lane = count_lane<Raw>;

  ONEFOLD_DEVICE explicit row_counts(const segment_arguments& a) : a_(a), none_(a.kind) {}

  ONEFOLD_DEVICE lane operator()() const { return none_; }
  ONEFOLD_DEVICE void write(const lane& of, std::int64_t k) const {
    segment_counts(a_).write_rest(of.sum(), a_.of.length, k);
  }

 private:
  const segment_arguments& a_;
  lane none_;
};

/// And, or, exclusive or of all bits.
template <class Raw>
class bits_lane {
 public:
  ONEFOLD_DEVICE explicit bits_lane(bool bool_bytes) : bool_bytes_(bool_bytes) {}
  ONEFOLD_DEVICE bits_lane none() const { return bits_lane(bool_bytes_); }

  ONEFOLD_DEVICE void add_unit(const uint4& x, std::uint32_t) {
    add(x.x), add(x.y), add(x.z), add(x.w);
  }
  ONEFOLD_DEVICE void add_unit(const word_pair& x, std::uint32_t) { add(x.x), add(x.y); }
  ONEFOLD_DEVICE void add_unit(Raw x, std::uint32_t) {
    const word own = bool_bytes_ ? x != 0 : x;
    all_ &= own | ~word(Raw(~Raw(0))), any_ |= own, odd_ ^= own;
  }
  ONEFOLD_DEVICE void join(const bits_lane& other) {
    all_ &= other.all_, any_ |= other.any_, odd_ ^= other.odd_;
  }
  ONEFOLD_DEVICE void fold(int lanes) {
    ONEFOLD_ROLLED
    for (int mask = 1; mask < lanes; mask *= 2) {
      all_ &= __shfl_xor_sync(whole_warp, all_, mask);
      any_ |= __shfl_xor_sync(whole_warp, any_, mask);
      odd_ ^= __shfl_xor_sync(whole_warp, odd_, mask);
    }
  }
  /// Of all elements that the words have.
  ONEFOLD_DEVICE bits_sum sum() const {
    word all = all_, any = any_, odd = odd_;
    ONEFOLD_UNROLL
    for (unsigned half = 4 * sizeof(word); half >= 8 * sizeof(Raw); half /= 2)
      all &= all >> half, any |= any >> half, odd ^= odd >> half;
    return {std::int64_t(all), std::int64_t(any), std::int64_t(odd)};
  }

 private:
  using word = std::conditional_t<sizeof(Raw) == 8, std::uint64_t, std::uint32_t>;

  ONEFOLD_DEVICE void add(word x) {
    if constexpr (sizeof(Raw) == 1)
      if (bool_bytes_) x = ((((x & 0x7F7F7F7F) + 0x7F7F7F7F) | x) & 0x80808080) >> 7;
    all_ &= x, any_ |= x, odd_ ^= x;
  }

  bool bool_bytes_;
  word all_ = ~word(0), any_ = 0, odd_ = 0;
};

/// bit_and, bit_or, bit_xor.
template <class Raw>
class row_bits {
 public:
  using element = Raw;
  using lane = bits_lane<Raw>;

  ONEFOLD_DEVICE explicit row_bits(const segment_arguments& a) : a_(a) {}

  ONEFOLD_DEVICE lane operator()() const { return lane(a_.kind.type == dtype::boolean); }
  ONEFOLD_DEVICE void write(const lane& of, std::int64_t k) const {
    segment_bits(a_).write_rest(of.sum(), a_.of.length, k);
  }

 private:
  const segment_arguments& a_;
};

}  // namespace onefold::cuda
