// SPDX-License-Identifier: Apache-2.0
#pragma once
// Extrema, counts and bits of contiguous rows, by tiles in shared memory; those of which a vector
// holds several, by vectors in registers.

#include "cuda/kernels/segments/rows/extrema_lanes.cuh"
#include "cuda/kernels/segments/rows/row_folds.hpp"
#include "cuda/kernels/segments/segment_counts.cuh"
#include "cuda/kernels/strided/strided_planes.cuh"
#include "cuda/loaders/packed_rows.cuh"
#include "cuda/loaders/row_tiles.cuh"

namespace onefold::cuda {

/// any, all, count, count_nonzero.
template <class Raw>
class row_counts {
 public:
  using element = Raw;
  using lane = count_lane<Raw>;

  ONEFOLD_DEVICE explicit row_counts(const segment_arguments& a) : a_(a), none_(a.kind) {}

  ONEFOLD_DEVICE lane operator()() const { return none_; }
  ONEFOLD_DEVICE void write(const lane& of, std::int64_t k) const {
    segment_counts(a_).write_rest({of.nonzeros(), of.nans()}, a_.of.length, k);
  }
  template <class Take>
  ONEFOLD_DEVICE void with_answer(const Take& take) const {
    const auto answer = [this](const lane& of) {
      return segment_counts(a_).answer({of.nonzeros(), of.nans()}, a_.of.length);
    };
    if (a_.request.what == op::any || a_.request.what == op::all)
      take([&](const lane& of) { return std::uint8_t(answer(of)); });
    else
      take(answer);
  }

 private:
  const segment_arguments& a_;
  lane none_;
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
    const folded_bits bits = of.sum();
    segment_bits(a_).write_rest({bits.all, bits.any, bits.odd}, a_.of.length, k);
  }
  template <class Take>
  ONEFOLD_DEVICE void with_answer(const Take& take) const {
    take([this](const lane& of) {
      const folded_bits bits = of.sum();
      return Raw(segment_bits(a_).answer({bits.all, bits.any, bits.odd}));
    });
  }

 private:
  const segment_arguments& a_;
};

/// All rows of a warp. stages: its shared memory, of row_stages_bytes.
template <bool Vectors, class Fold>
ONEFOLD_DEVICE void fold_rows(const row_folds& of, const Fold& fold, std::int64_t* stages) {
  const strided_rows& rows = of.rows;
  row_tiles<typename Fold::element, Vectors> tiles(rows, stages);
  for_each_plane(of.of, rows,
                 [&](const std::byte* x, std::int64_t first, std::int64_t row, std::int64_t step) {
                   tiles.take(
                       x, row, step, fold,
                       [&](std::int64_t k, const auto& lane) {
                         if (k >= 0) fold.write(lane, first + k);
                       },
                       [](std::int64_t) { return false; });
                 });
}

/// What the elements of row Row of a vector, of Each elements, come to.
template <int Row, class Fold, int... I>
ONEFOLD_DEVICE auto lane_of_packed(const Fold& fold, const uint4& v,
                                   std::integer_sequence<int, I...>) {
  using Raw = typename Fold::element;
  constexpr int first = Row * int(sizeof...(I));
  auto lane = fold();
  (lane.add_unit(Raw(bits_in<Raw, first + I>(v)), std::uint32_t(I)), ...);
  return lane;
}
/// All rows of a warp, of Each elements, where of.packed. answer: of a lane.
template <int Each, class Fold, class Answer, int... Row>
ONEFOLD_DEVICE void fold_packed_rows(const row_folds& of, const Fold& fold, const Answer& answer,
                                     std::integer_sequence<int, Row...>) {
  using in_row = std::make_integer_sequence<int, Each>;
  using word = decltype(answer(fold()));
  using words = packed_words<word, int(sizeof...(Row))>;
  const packed_vectors<int(sizeof...(Row)), packed_ahead<typename Fold::element>> all(
      of.of.x, of.rows.count);
  const std::int64_t warp = blockIdx.x * row_tile_warps + threadIdx.x / warp_lanes;
  all.take(
      warp * all.step, std::int64_t(gridDim.x) * row_tile_warps * all.step,
      [&](const uint4& v, std::int64_t at, bool there, int) {
        const words made = {{answer(lane_of_packed<Row>(fold, v, in_row()))...}};
        if (there) write_once(static_cast<words*>(of.out) + at, made);
      },
      [](std::int64_t) { return true; });
  if (warp > 0) return;
  all.take_rest([&](const uint4& v, std::int64_t k, bool there) {
    const auto lane = lane_of_packed<0>(fold, v, in_row());
    if (there) fold.write(lane, k);
  });
}

template <class Fold>
ONEFOLD_DEVICE void fold_packed_rows(const row_folds& of, const Fold& fold) {
  constexpr int width = int(sizeof(typename Fold::element));
  const auto fold_of = [&]<int Each>(std::integral_constant<int, Each>, const auto& answer) {
    constexpr int answer_bytes = int(sizeof(answer(fold())));
    if constexpr (Each > 1 && Each * width <= 8 && answer_bytes <= Each * width)
      fold_packed_rows<Each>(of, fold, answer,
                             std::make_integer_sequence<int, 16 / (Each * width)>());
  };
  fold.with_answer([&](const auto& answer) {
    if (of.rows.items == 2)
      fold_of(std::integral_constant<int, 2>(), answer);
    else if (of.rows.items == 4)
      fold_of(std::integral_constant<int, 4>(), answer);
    else
      fold_of(std::integral_constant<int, 8>(), answer);
  });
}

template <class Fold>
ONEFOLD_DEVICE void fold_all_rows(const row_folds& of, const Fold& fold, std::int64_t* stages) {
  if (of.packed)
    fold_packed_rows(of, fold);
  else if (of.rows.vectors)
    fold_rows<true>(of, fold, stages);
  else
    fold_rows<false>(of, fold, stages);
}

/// Shape:  rows of at most 2^31 elements; block of 32 row_tile_warps, any grid; dynamic shared
///         memory for the stages of each warp.
/// Error:  none.
/// Order:  none: the same bits in every run and grid.
template <class Fold>
__global__ void __launch_bounds__(row_tile_warps* warp_lanes, row_tile_blocks)
    folds_of_rows(ONEFOLD_KERNEL_ARGUMENT row_folds of) {
  ONEFOLD_DYNAMIC_SHARED(std::int64_t, shared);
  std::int64_t* const stages = shared + threadIdx.x / warp_lanes * (row_stages_bytes / 8);
  segment_arguments a = {};
  a.request = of.request, a.kind = of.of.x_kind;
  a.of.out = of.out, a.of.first_index = of.first_index, a.of.length = of.rows.items;
  const auto use = [&](const auto& fold) { fold_all_rows(of, fold, stages); };
  if constexpr (requires { Fold::choose(a, use); })
    Fold::choose(a, use);
  else
    use(Fold(a));
}

using row_folds_kernel = void (*)(row_folds);

template <template <class> class Fold>
row_folds_kernel row_folds_of_width(unsigned bytes) {
  return with_width<row_folds_kernel>(
      bytes, []<class Raw>(detail::tag<Raw>) { return folds_of_rows<Fold<Raw>>; });
}
template <class Raw>
using integer_positions = row_positions<integer_ranks<Raw>>;

inline row_folds_kernel positions_of_rows(const element_kind& kind) {
  if (!kind.floating) return row_folds_of_width<integer_positions>(kind.bytes);
  return with_floating<row_folds_kernel>(kind.type, []<class T>(detail::tag<T>) {
    return folds_of_rows<row_positions<float_ranks<T>>>;
  });
}
inline row_folds_kernel row_folds_kernel_of(const row_folds& of) {
  const op what = of.request.what;
  const element_kind& kind = of.of.x_kind;
  if (what == op::argmin || what == op::argmax) return positions_of_rows(kind);
  if (of.of.of == accumulator::extrema) return row_folds_of_width<row_extrema>(kind.bytes);
  return of.of.of == accumulator::counts ? row_folds_of_width<row_counts>(kind.bytes)
                                         : row_folds_of_width<row_bits>(kind.bytes);
}

}  // namespace onefold::cuda
