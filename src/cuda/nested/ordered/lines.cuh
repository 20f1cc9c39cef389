// SPDX-License-Identifier: Apache-2.0
#pragma once
// Fast sums of chunks whose elements are in lines: contiguous within a line, and the lines one
// after another along an outer axis.

#include "cuda/nested/ordered/chunk_rows.cuh"

namespace onefold::cuda {

/// Whether elements lie in lines of a row of the warp or more, and are of type T.
template <class T>
ONEFOLD_DEVICE bool lie_in_lines(const nested_request& of) {
  const int reduced = of.axes.all - of.axes.kept;
  const nest_axis& line = of.axes.axis[of.axes.all - 1];
  const bool some = reduced == 1 || (reduced == 2 && line.extent >= int(warp_lanes));
  return some && of.aligned && of.x_kind.type == dtype_of<T> && of.of != accumulator::products &&
         of.mask == nullptr && !of.drops_nans && line.x_bytes == std::int64_t(sizeof(T));
}

/// A lane's way along the lines of a chunk, in steps of a row of the warp.
template <class T>
class line_walk {
 public:
  using bits = typename detail::float_format<T>::bits;

  ONEFOLD_DEVICE line_walk(const nested_request& of, const nest_piece& piece)
      : extent_(of.axes.axis[of.axes.all - 1].extent), left_(piece.last - piece.first) {
    const bool outer = of.axes.all - of.axes.kept == 2;
    const std::int64_t outer_bytes = outer ? of.axes.axis[of.axes.kept].x_bytes : 0;
    const std::int64_t first = piece.first + lane_index(),
                       row = outer ? quotient(first, extent_) : 0;
    column_ = first - row * extent_;
    at_ = of.x + piece.base.x + row * outer_bytes + column_ * std::int64_t(sizeof(T));
    to_next_ = outer ? outer_bytes - extent_ * std::int64_t(sizeof(T)) : 0;
    if (!outer) extent_ = of.items + warp_lanes;
  }
  /// The element that the lane comes to next.
  ONEFOLD_DEVICE bits item() const { return bits_at(reinterpret_cast<const T*>(at_)); }
  /// Of the warp.
  ONEFOLD_DEVICE std::int64_t left() const { return left_; }

  /// This lane's elements of the next Count rows. A row is no longer than a line, so that it goes
  /// over one end at most.
  template <bool All, int Count>
  ONEFOLD_DEVICE void next(bits (&to)[Count]) {
    const std::int64_t mine = left_ - lane_index();
    ONEFOLD_UNROLL
    for (int i = 0; i < Count; ++i) {
      to[i] = detail::float_format<T>::sign_bit;
      if (All || i * std::int64_t(warp_lanes) < mine)
        to[i] = bits_at(reinterpret_cast<const T*>(at_));
      at_ += warp_lanes * sizeof(T), column_ += warp_lanes;
      if (column_ >= extent_) column_ -= extent_, at_ += to_next_;
    }
    left_ -= Count * std::int64_t(warp_lanes);
  }

 private:
  std::int64_t extent_, left_, column_, to_next_;
  const std::byte* at_;
};

/// The sum of term(x) of a chunk, in every lane: the order of chunk_rows.
template <class Number, class T, class Term>
ONEFOLD_DEVICE Number sum_of_lines(const nested_request& of, const nest_piece& piece,
                                   const Term& term) {
  constexpr int loads = 16;
  typename line_walk<T>::bits x[loads];
  Number sums[2] = {Number(-0.0), Number(-0.0)};
  line_walk<T> walk(of, piece);
  ONEFOLD_ROLLED
  while (walk.left() >= loads * std::int64_t(warp_lanes)) {
    walk.template next<true>(x);
    ONEFOLD_UNROLL
    for (int i = 0; i < loads; ++i) sums[i % 2] += term(Number(double_of<T>(x[i])));
  }
  const auto rest = int(walk.left()) - int(lane_index());
  walk.template next<false>(x);
  ONEFOLD_UNROLL
  for (int i = 0; i < loads; ++i)
    if (i * int(warp_lanes) < rest) sums[i % 2] += term(Number(double_of<T>(x[i])));
  return fold_rows(sums);
}

}  // namespace onefold::cuda
