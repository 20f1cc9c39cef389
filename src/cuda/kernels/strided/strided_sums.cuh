// SPDX-License-Identifier: Apache-2.0
#pragma once
// Exact sums of floats of general strided layouts: a warp takes one piece of one answer after
// another.
//
// The elements of a chunk are loaded one by one and summed by windows (slow.cuh), of which ordinary
// data need one or two.

#include "cuda/accumulators/carry.cuh"
#include "cuda/accumulators/slow.cuh"
#include "cuda/kernels/strided/nest.cuh"

namespace onefold::cuda {

/// A warp's reader of elements, and the digits that it fills.
/// Converts: elements may be of other types, which T holds exactly.
template <accumulator Accumulator, class T, bool Converts = terms<Accumulator, T>::pairs>
class piece_total {
 public:
  using traits = terms<Accumulator, T>;
  using way = exact_fallback<Accumulator, T>;
  using bits = typename traits::bits;
  static constexpr bool notes_zeros = Accumulator == accumulator::total || traits::pairs;

  ONEFOLD_DEVICE piece_total(const strided_request& from, std::int64_t* words)
      : from_(from), digits_(words) {}

  ONEFOLD_DEVICE void take(const nest_piece& piece) {
    digits_.clear();
    const way windows(nullptr, nullptr, digits_.words());
    std::int64_t count = 0;
    std::uint32_t chunks = 0;
    bool other = false;
    ONEFOLD_ROLLED
    for (std::int64_t base = piece.first; base < piece.last; base += way::step) {
      bits a[way::per_lane], b[way::per_lane];
      ONEFOLD_UNROLL
      for (int i = 0; i < way::per_lane; ++i)
        count += load(piece, base + i * std::int64_t(warp_lanes) + lane_index(), a[i], b[i]);
      ONEFOLD_UNROLL
      for (int i = 0; notes_zeros && i < way::per_lane; ++i) other |= traits::is_other(a[i], b[i]);
      windows.add_loaded(a, b);
      if (++chunks % chunks_between_carries == 0) digits_.carry();
    }
    digits_.carry();
    digits_.count(traits::limbs, warp_sum(count));
    digits_.count(traits::limbs + 4, notes_zeros && !any_lane(other));
  }

  /// After take(): the words become those of the state.
  ONEFOLD_DEVICE void complete() const { carry_digits<traits::limbs>(digits_.words()); }
  /// After take(). Every lane writes its own words.
  ONEFOLD_DEVICE void write(std::int64_t* to) const {
    for (unsigned i = lane_index(); i < traits::words; i += warp_lanes) to[i] = digits_.words()[i];
  }

 private:
  // A chunk makes fewer than 2^9 deposits, and digits have room for 2^30.
  static constexpr std::uint32_t chunks_between_carries = 1u << 20;

  // Where there is none, or it is masked out: elements whose terms are -0, or in a square +0.
  ONEFOLD_DEVICE bool load(const nest_piece& piece, std::int64_t r, bits& a, bits& b) const {
    a = traits::format::sign_bit, b = traits::pairs ? bits(0) : a;
    if (r >= piece.last) return false;
    nest_place at = piece.base;
    step_into(from_.axes, from_.axes.kept, from_.axes.all, r, at);
    if (from_.mask != nullptr && from_.mask[at.mask] == std::byte(0)) return false;
    a = element(from_.x + at.x, from_.x_kind);
    b = traits::pairs ? element(from_.y + at.y, from_.y_kind) : a;
    return true;
  }
  ONEFOLD_DEVICE bits element(const std::byte* at, const element_kind& kind) const {
    if constexpr (Converts) return bits_as<T>(raw_bits(at, kind.bytes, from_.aligned), kind);
    return bits(raw_bits(at, sizeof(T), from_.aligned));
  }

  const strided_request& from_;
  warp_digits<traits::limbs, traits::words> digits_;
};

/// Shape:  a request's answers, >= 0 of them, in pieces of any length; words[outputs][pieces][state
///         words]; block of strided_threads, any grid.
/// Error:  none: carried, the words are those of the state of a piece's elements.
/// Order:  none: integers, the same words in every run and grid.
template <accumulator Accumulator, class T>
__global__ void __launch_bounds__(strided_threads)
    strided_floats(const strided_request request, std::int64_t* words) {
  constexpr int own_words = terms<Accumulator, T>::words;
  __shared__ std::int64_t shared[strided_threads / warp_lanes * own_words];
  piece_total<Accumulator, T> total(request, shared + threadIdx.x / warp_lanes * own_words);
  for_each_piece(request, [&](const nest_piece& piece, std::int64_t k) {
    total.take(piece);
    total.write(words + k * request.state_words);
  });
}

}  // namespace onefold::cuda
