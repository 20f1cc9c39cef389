// SPDX-License-Identifier: Apache-2.0
#pragma once
// Fast moments of chunks of general strided layouts, and variances of answers of one chunk each:
// the CPU's operations in the CPU's order (docs/numerics/fast.md).

#include "cuda/many/fast/answer.cuh"
#include "cuda/nested/finish.cuh"
#include "cuda/nested/ordered/held_answers.cuh"
#include "cuda/nested/ordered/lines.cuh"

namespace onefold::cuda {

/// The sum of term(x) of a chunk, in every lane; `count` becomes that of the elements.
template <class Number, class Term>
ONEFOLD_DEVICE Number sum_of_rows(chunk_rows<Number>& rows, const Term& term, std::int64_t& count) {
  Number sums[2] = {Number(-0.0), Number(-0.0)};
  count = take_rows(rows, [&](const Number(&x)[held_items], int n) {
    ONEFOLD_UNROLL
    for (int i = 0; i < held_items; ++i)
      if (is_held(i, n)) sums[i % 2] += term(x[i]);
  });
  return fold_rows(sums);
}

/// In every lane.
template <class Number>
struct chunk_moments {
  Number mean, squares;
  std::int64_t count, dropped;
};
template <class Number>
using held_spreads = held_answers<chunk_moments<Number>>;

/// sum_of(term, moments): the sum of a chunk's terms, in every lane that asks, and how many there
/// are. NaN squares where the mean is not finite.
template <class Number, class Sum>
ONEFOLD_DEVICE chunk_moments<Number> moments_about(Number first, const Sum& sum_of) {
  chunk_moments<Number> made;
  const Number shifted = sum_of([&](Number x) { return x - first; }, made);
  const Number mean = first + shifted / Number(made.count);
  const auto square = [&](Number x) { return (x - mean) * (x - mean); };
  const Number squares = sum_of(square, made);
  made.mean = mean, made.squares = mean - mean == 0 ? squares : Number(NAN);
  return made;
}

template <class Number, class T>
ONEFOLD_DEVICE chunk_moments<Number> moments_of_lines(const nested_request& of,
                                                      const nest_piece& piece) {
  // Of no elements there is none to be the first.
  const line_walk<T> walk(of, piece);
  const auto bits = lane_index() == 0 && walk.left() > 0 ? walk.item() : 0;
  const Number first = from_lane_0(Number(double_of<T>(bits)));
  return moments_about(first, [&](const auto& term, chunk_moments<Number>& of_chunk) {
    of_chunk.count = walk.left(), of_chunk.dropped = 0;
    return sum_of_lines<Number, T>(of, piece, term);
  });
}

/// Of one line that a lane has in registers: 4 KiB of a warp.
template <class Number>
inline constexpr int held_rows = 128 / int(sizeof(Number));

template <class T>
ONEFOLD_DEVICE bool is_held_line(const nested_request& of) {
  return lie_in_lines<T>(of) && of.axes.all == of.axes.kept + 1 && of.pieces == 1 &&
         of.items <= held_rows<fast_number<T>> * int(warp_lanes);
}
template <class Number, class T>
ONEFOLD_DEVICE chunk_moments<Number> moments_of_held_line(const nested_request& of,
                                                          const nest_piece& piece) {
  const auto* const line = reinterpret_cast<const T*>(of.x + piece.base.x);
  const int n = int(of.items), left = n - int(lane_index());
  const T* const own = line + lane_index();
  Number x[held_rows<Number>];
  const Number first = n > 0 ? number_of<T>(bits_at(line)) : Number(0);
  ONEFOLD_UNROLL
  for (int i = 0; i < held_rows<Number>; ++i) {
    x[i] = 0;
    if (i * int(warp_lanes) < left) x[i] = number_of<T>(bits_at(own + i * int(warp_lanes)));
  }
  return moments_about(first, [&](const auto& term, chunk_moments<Number>& made) {
    made.count = n, made.dropped = 0;
    Number sums[2] = {Number(-0.0), Number(-0.0)};
    ONEFOLD_UNROLL
    for (int i = 0; i < held_rows<Number>; ++i)
      if (i * int(warp_lanes) < left) sums[i % 2] += term(x[i]);
    return fold_rows(sums);
  });
}

template <class Number, class T>
ONEFOLD_DEVICE bool take_lines(const nested_request& of, const nest_piece& piece,
                               chunk_moments<Number>& made) {
  if (!lie_in_lines<T>(of)) return false;
  made = is_held_line<T>(of) ? moments_of_held_line<Number, T>(of, piece)
                             : moments_of_lines<Number, T>(of, piece);
  return true;
}
template <class Number>
ONEFOLD_DEVICE chunk_moments<Number> moments_of_chunk(const nested_request& of,
                                                      const nest_piece& piece, Number* ring) {
  chunk_moments<Number> found;
  if constexpr (sizeof(Number) == 8) {
    if (take_lines<Number, double>(of, piece, found)) return found;
  } else if (take_lines<Number, float>(of, piece, found) ||
             take_lines<Number, f16>(of, piece, found) ||
             take_lines<Number, bf16>(of, piece, found)) {
    return found;
  }
  Number some[held_items];
  chunk_rows<Number>(of, piece, ring).next(some);
  return moments_about(from_lane_0(some[0]), [&](const auto& term, chunk_moments<Number>& made) {
    chunk_rows<Number> rows(of, piece, ring);
    const Number sum = sum_of_rows(rows, term, made.count);
    made.dropped = rows.dropped();
    return sum;
  });
}

/// Writes variances and deviations of one answer, as rounding/fast.cpp does.
template <class Number>
ONEFOLD_DEVICE void finish_parts(const chunk_moments<Number>& of, const finish_list& list,
                                 std::int64_t k) {
  if (list.nan == nan_policy::error && of.dropped > 0)
    return report_of_many(status_code::not_a_number, list);
  const bool some = of.count > 0 && of.count > list.correction;
  const auto divisor = std::uint64_t(of.count) - std::uint64_t(list.correction);
  const double variance = some ? __ddiv_rn(double(of.squares), double(divisor)) : __builtin_nan("");
  ONEFOLD_ROLLED
  for (int i = 0; i < list.size; ++i) {
    const finish_item& asked = list.answers[i];
    const double answer = asked.what == op::stddev ? __dsqrt_rn(variance) : variance;
    write_fast(answer, {answer_form::kind::sum, asked.type, 1}, place_of_answer(asked, k), 0);
  }
}

/// Answer k, or the words of its piece.
template <class Number>
ONEFOLD_DEVICE void write_moments(const nested_request& of, const nest_piece& piece, Number* ring,
                                  held_spreads<Number>& held, std::int64_t k, std::int64_t* to) {
  const chunk_moments<Number> made = moments_of_chunk(of, piece, ring);
  if (of.finish.size > 0) return held.take(made, of.first_output + k);
  if (lane_index() != 0) return;
  to[0] = word_of_number(made.mean), to[1] = word_of_number(made.squares);
  to[2] = made.count, to[3] = made.dropped;
}

}  // namespace onefold::cuda
