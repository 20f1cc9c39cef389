// SPDX-License-Identifier: Apache-2.0
#pragma once
// Integers, extrema, counts and bitwise folds of general strided layouts: lanes fold the elements
// of a piece, one lane or a warp each.
//
// The element type is known when the kernel runs, not when it is compiled: every fold sees 64 bits.

#include "cuda/kernels/strided/nest.cuh"
#include "onefold/detail/wide_digits.hpp"

#include <type_traits>

namespace onefold::cuda::folds {

/// Sums of integers in words of 64 bits, lowest first: as the states of detail/integer_sum.hpp and
/// integer_dot.hpp.
template <accumulator Accumulator>
class any_integers {
 public:
  static constexpr bool pairs = Accumulator == accumulator::products;
  static constexpr bool has_products = pairs || Accumulator == accumulator::squares;
  static constexpr int sum_words = has_products ? 3 : 2;
  static constexpr int partial_words = sum_words + 1;

  ONEFOLD_DEVICE explicit any_integers(const strided_request& request)
      : x_(request.x_kind), y_(request.y_kind) {}

  ONEFOLD_DEVICE void take(std::uint64_t raw_x, std::uint64_t raw_y, std::int64_t) {
    const std::int64_t x = integer_of(raw_x, x_), y = pairs ? integer_of(raw_y, y_) : x;
    const bool x_minus = x_.is_signed && x < 0, y_minus = (pairs ? y_ : x_).is_signed && y < 0;
    ++count_;
    if constexpr (has_products)
      add_product(magnitude(x, x_minus), magnitude(y, y_minus), x_minus != y_minus);
    else if constexpr (Accumulator == accumulator::magnitudes)
      add({magnitude(x, x_minus), 0});
    else
      add({std::uint64_t(x), x_minus ? ~std::uint64_t(0) : 0});
  }

  ONEFOLD_DEVICE void store(std::int64_t* to) const {
    for (int i = 0; i < sum_words; ++i) to[i] = std::int64_t(sum_[i]);
    to[sum_words] = count_;
  }
  ONEFOLD_DEVICE void merge(const std::int64_t* from) {
    std::uint64_t more[sum_words];
    for (int i = 0; i < sum_words; ++i) more[i] = std::uint64_t(from[i]);
    add(more);
    count_ += from[sum_words];
  }
  ONEFOLD_DEVICE void finish(std::int64_t* words) const { store(words); }

 private:
  ONEFOLD_DEVICE static std::uint64_t magnitude(std::int64_t value, bool minus) {
    return minus ? ~std::uint64_t(value) + 1 : std::uint64_t(value);
  }
  ONEFOLD_DEVICE void add(const std::uint64_t (&term)[sum_words]) {
    std::uint64_t carry = 0;
    ONEFOLD_UNROLL
    for (int i = 0; i < sum_words; ++i) {
      const std::uint64_t with_carry = term[i] + carry;
      sum_[i] += with_carry;
      carry = std::uint64_t(with_carry < carry) + std::uint64_t(sum_[i] < with_carry);
    }
  }
  ONEFOLD_DEVICE void add_product(std::uint64_t x, std::uint64_t y, bool minus) {
    const detail::wide_product p = detail::multiply(x, y);
    if constexpr (has_products) {
      if (!minus) return add({p.low, p.high, 0});
      const bool nothing = (p.low | p.high) == 0;
      add({~p.low + 1, ~p.high + (p.low == 0), nothing ? 0 : ~std::uint64_t(0)});
    }
  }

  element_kind x_, y_;
  std::uint64_t sum_[sum_words] = {};
  std::int64_t count_ = 0;
};

/// The state of detail/extrema.hpp.
class any_extrema {
 public:
  static constexpr bool pairs = false;
  static constexpr int partial_words = 7;

  ONEFOLD_DEVICE explicit any_extrema(const strided_request& request) : kind_(request.x_kind) {}

  ONEFOLD_DEVICE void take(std::uint64_t raw, std::uint64_t, std::int64_t index) {
    ++count_;
    if (any_nan(raw, kind_)) {
      ++nans_, nan_at_ = min(nan_at_, index);
    } else {
      const std::int64_t at = any_place(raw, kind_);
      take_end(least_, at, index, at < least_.place);
      take_end(largest_, at, index, at > largest_.place);
    }
  }
  ONEFOLD_DEVICE void store(std::int64_t* to) const {
    to[0] = count_, to[1] = nans_, to[2] = nan_at_;
    to[3] = least_.place, to[4] = least_.index;
    to[5] = largest_.place, to[6] = largest_.index;
  }
  ONEFOLD_DEVICE void merge(const std::int64_t* from) {
    count_ += from[0], nans_ += from[1], nan_at_ = min(nan_at_, from[2]);
    take_end(least_, from[3], from[4], from[3] < least_.place);
    take_end(largest_, from[5], from[6], from[5] > largest_.place);
  }
  ONEFOLD_DEVICE void finish(std::int64_t* words) const {
    const bool any = count_ > nans_;
    words[0] = count_, words[1] = nans_, words[2] = nans_ > 0 ? nan_at_ : -1;
    words[3] = any ? key_of(least_.place) : 0, words[4] = any ? least_.index : -1;
    words[5] = any ? key_of(largest_.place) : 0, words[6] = any ? largest_.index : -1;
    const bool zeros = any && kind_.floating;
    words[7] = zeros ? std::int64_t(least_.place == 0) | std::int64_t(largest_.place == 0) << 1 : 0;
  }

 private:
  static constexpr std::int64_t no_index = 0x7FFFFFFFFFFFFFFF;
  struct end {
    std::int64_t place, index;
  };

  // Both zeros have one key: -0 is just before +0.
  ONEFOLD_DEVICE std::int64_t key_of(std::int64_t place) const {
    return place + (kind_.floating && place < 0);
  }
  // The first index of a key counts, whatever the sign of its zero. An end without an element has
  // no index.
  ONEFOLD_DEVICE void take_end(end& to, std::int64_t place, std::int64_t index, bool beyond) const {
    if (index == no_index) return;
    const bool first = to.index == no_index;
    const bool same = !first && key_of(place) == key_of(to.place);
    if (!first && !same && !beyond) return;
    to.index = same ? min(to.index, index) : index;
    if (first || beyond) to.place = place;
  }

  element_kind kind_;
  std::int64_t count_ = 0, nans_ = 0, nan_at_ = no_index;
  end least_ = {no_index, no_index}, largest_ = {~no_index, no_index};
};

/// The state of detail/nonzero_counts.hpp.
class any_counts {
 public:
  static constexpr bool pairs = false;
  static constexpr int partial_words = 3;

  ONEFOLD_DEVICE explicit any_counts(const strided_request& request) : kind_(request.x_kind) {}

  ONEFOLD_DEVICE void take(std::uint64_t raw, std::uint64_t, std::int64_t) {
    const std::uint64_t magnitude =
        kind_.floating ? raw & ~std::uint64_t(0) >> (65 - 8 * unsigned(kind_.bytes)) : raw;
    ++count_, nonzeros_ += magnitude != 0, nans_ += any_nan(raw, kind_);
  }
  ONEFOLD_DEVICE void store(std::int64_t* to) const {
    to[0] = count_, to[1] = nonzeros_, to[2] = nans_;
  }
  ONEFOLD_DEVICE void merge(const std::int64_t* from) {
    count_ += from[0], nonzeros_ += from[1], nans_ += from[2];
  }
  ONEFOLD_DEVICE void finish(std::int64_t* words) const { store(words); }

 private:
  element_kind kind_;
  std::int64_t count_ = 0, nonzeros_ = 0, nans_ = 0;
};

/// The state of detail/bit_fold.hpp.
class any_bits {
 public:
  static constexpr bool pairs = false;
  static constexpr int partial_words = 4;

  ONEFOLD_DEVICE explicit any_bits(const strided_request& request) : kind_(request.x_kind) {}

  ONEFOLD_DEVICE void take(std::uint64_t raw, std::uint64_t, std::int64_t) {
    const std::int64_t bits = integer_of(raw, kind_);
    ++count_, all_ &= bits, any_ |= bits, odd_ ^= bits;
  }
  ONEFOLD_DEVICE void store(std::int64_t* to) const {
    to[0] = count_, to[1] = all_, to[2] = any_, to[3] = odd_;
  }
  ONEFOLD_DEVICE void merge(const std::int64_t* from) {
    count_ += from[0], all_ &= from[1], any_ |= from[2], odd_ ^= from[3];
  }
  ONEFOLD_DEVICE void finish(std::int64_t* words) const { store(words); }

 private:
  element_kind kind_;
  std::int64_t count_ = 0, all_ = -1, any_ = 0, odd_ = 0;
};

/// Elements that a lane loads before it uses the first.
inline constexpr int strided_loads = 4;

/// A lane's elements of a piece: first + lane, first + lane + step …
template <class Fold>
ONEFOLD_DEVICE void take_piece(const strided_request& request, const nest_piece& piece,
                               unsigned lane, unsigned step, Fold& into) {
  const auto stride = std::int64_t(step);
  ONEFOLD_ROLLED
  for (std::int64_t r = piece.first + lane; r < piece.last; r += strided_loads * stride) {
    std::uint64_t x[strided_loads], y[strided_loads];
    bool there[strided_loads];
    ONEFOLD_UNROLL
    for (int i = 0; i < strided_loads; ++i)
      there[i] = load_pair<Fold::pairs>(request, piece, r + i * stride, x[i], y[i]);
    ONEFOLD_UNROLL
    for (int i = 0; i < strided_loads; ++i)
      if (there[i]) into.take(x[i], y[i], r + i * stride);
  }
}

/// Lane 0 has the fold of its warp.
template <class Fold>
ONEFOLD_DEVICE void fold_warp(Fold& fold) {
  ONEFOLD_ROLLED
  for (unsigned step = 16; step > 0; step /= 2) {
    std::int64_t word[Fold::partial_words];
    fold.store(word);
    ONEFOLD_UNROLL
    for (std::int64_t& each : word) each = __shfl_down_sync(whole_warp, each, step);
    fold.merge(word);
  }
}

/// Shape:  a request's answers, >= 0 of them, in pieces of any length; words[outputs][pieces][state
///         words]; block of strided_threads, any grid.
/// Error:  none: the words are those of the state of a piece's elements.
/// Order:  none: the same words in every run and grid.
template <class Fold>
__global__ void __launch_bounds__(strided_threads)
    strided_folds(const strided_request request, std::int64_t* words) {
  const std::int64_t all = request.outputs * request.pieces;
  const unsigned groups = strided_threads / request.lanes, group = threadIdx.x / request.lanes;
  const unsigned lane = threadIdx.x % request.lanes;
  const std::int64_t step = std::int64_t(gridDim.x) * groups;
  ONEFOLD_ROLLED
  for (std::int64_t k = std::int64_t(blockIdx.x) * groups + group; k < all; k += step) {
    Fold fold(request);
    take_piece(request, nest_piece(request, k), lane, request.lanes, fold);
    if (request.lanes == warp_lanes) fold_warp(fold);
    if (lane == 0) fold.finish(words + k * request.state_words);
  }
}

}  // namespace onefold::cuda::folds
