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
  ONEFOLD_DEVICE void write(const lane& lane, std::int64_t k) const {
    segment_counts(a_).write_rest({lane.nonzeros(), lane.nans()}, a_.block.length, k);
  }
  template <class Take>
  ONEFOLD_DEVICE void with_answer(const Take& take) const {
    const auto answer = [this](const lane& lane) {
      return segment_counts(a_).answer({lane.nonzeros(), lane.nans()}, a_.block.length);
    };
    if (a_.request.op == op::any || a_.request.op == op::all)
      take([&](const lane& lane) { return std::uint8_t(answer(lane)); });
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
  ONEFOLD_DEVICE void write(const lane& lane, std::int64_t k) const {
    const folded_bits bits = lane.sum();
    segment_bits(a_).write_rest({bits.all, bits.any, bits.odd}, a_.block.length, k);
  }
  template <class Take>
  ONEFOLD_DEVICE void with_answer(const Take& take) const {
    take([this](const lane& lane) {
      const folded_bits bits = lane.sum();
      return Raw(segment_bits(a_).answer({bits.all, bits.any, bits.odd}));
    });
  }

 private:
  const segment_arguments& a_;
};

/// All rows of a warp. stages: its shared memory, of row_stages_bytes.
template <bool Vectors, class Fold>
ONEFOLD_DEVICE void fold_rows(const row_folds& folds, const Fold& fold, std::int64_t* stages) {
  const strided_rows& rows = folds.rows;
  row_tiles<typename Fold::element, Vectors> tiles(rows, stages);
  for_each_plane(folds.nest, rows,
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
/// All rows of a warp, of Each elements, where folds.packed. answer: of a lane.
template <int Each, class Fold, class Answer, int... Row>
ONEFOLD_DEVICE void fold_packed_rows(const row_folds& folds, const Fold& fold, const Answer& answer,
                                     std::integer_sequence<int, Row...>) {
  using in_row = std::make_integer_sequence<int, Each>;
  using word = decltype(answer(fold()));
  using words = packed_words<word, int(sizeof...(Row))>;
  const packed_vectors<int(sizeof...(Row)), packed_ahead<typename Fold::element>> all(
      folds.nest.x, folds.rows.count);
  const std::int64_t warp = blockIdx.x * row_tile_warps + threadIdx.x / warp_lanes;
  all.take(
      warp * all.step, std::int64_t(gridDim.x) * row_tile_warps * all.step,
      [&](const uint4& v, std::int64_t at, bool there, int) {
        const words made = {{answer(lane_of_packed<Row>(fold, v, in_row()))...}};
        if (there) write_once(static_cast<words*>(folds.out) + at, made);
      },
      [](std::int64_t) { return true; });
  if (warp > 0) return;
  all.take_rest([&](const uint4& v, std::int64_t k, bool there) {
    const auto lane = lane_of_packed<0>(fold, v, in_row());
    if (there) fold.write(lane, k);
  });
}

template <class Fold>
ONEFOLD_DEVICE void fold_packed_rows(const row_folds& folds, const Fold& fold) {
  constexpr int width = int(sizeof(typename Fold::element));
  const auto fold_of = [&]<int Each>(std::integral_constant<int, Each>, const auto& answer) {
    constexpr int answer_bytes = int(sizeof(answer(fold())));
    if constexpr (Each > 1 && Each * width <= 8 && answer_bytes <= Each * width)
      fold_packed_rows<Each>(folds, fold, answer,
                             std::make_integer_sequence<int, 16 / (Each * width)>());
  };
  fold.with_answer([&](const auto& answer) {
    if (folds.rows.items == 2)
      fold_of(std::integral_constant<int, 2>(), answer);
    else if (folds.rows.items == 4)
      fold_of(std::integral_constant<int, 4>(), answer);
    else
      fold_of(std::integral_constant<int, 8>(), answer);
  });
}

template <class Fold>
ONEFOLD_DEVICE void fold_all_rows(const row_folds& folds, const Fold& fold, std::int64_t* stages) {
  if (folds.packed)
    fold_packed_rows(folds, fold);
  else if (folds.rows.vectors)
    fold_rows<true>(folds, fold, stages);
  else
    fold_rows<false>(folds, fold, stages);
}

/// Shape:  rows of at most 2^31 elements; block of 32 row_tile_warps, any grid; dynamic shared
///         memory for the stages of each warp.
/// Error:  none.
/// Order:  none: the same bits in every run and grid.
template <class Fold>
__global__ void __launch_bounds__(row_tile_warps* warp_lanes, row_tile_blocks)
    folds_of_rows(ONEFOLD_KERNEL_ARGUMENT row_folds folds) {
  ONEFOLD_DYNAMIC_SHARED(std::int64_t, shared);
  std::int64_t* const stages = shared + threadIdx.x / warp_lanes * (row_stages_bytes / 8);
  segment_arguments a = {};
  a.request = folds.request, a.kind = folds.nest.x_kind;
  a.block.out = folds.out, a.block.first_index = folds.first_index,
  a.block.length = folds.rows.items;
  const auto use = [&](const auto& fold) { fold_all_rows(folds, fold, stages); };
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
inline row_folds_kernel row_folds_kernel_of(const row_folds& folds) {
  const op op = folds.request.op;
  const element_kind& kind = folds.nest.x_kind;
  if (op == op::argmin || op == op::argmax) return positions_of_rows(kind);
  if (folds.nest.accumulator == accumulator::extrema)
    return row_folds_of_width<row_extrema>(kind.bytes);
  return folds.nest.accumulator == accumulator::counts ? row_folds_of_width<row_counts>(kind.bytes)
                                                       : row_folds_of_width<row_bits>(kind.bytes);
}

}  // namespace onefold::cuda
