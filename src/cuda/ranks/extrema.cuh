// SPDX-License-Identifier: Apache-2.0
#pragma once
// Extrema over ranks, by maxima of words: a lane has an answer.

#include "cuda/nested/finish.cuh"
#include "cuda/ranks/extrema.hpp"

namespace onefold::cuda {

inline constexpr unsigned extrema_threads = 128;

ONEFOLD_DEVICE std::int64_t first_answer() {
  return std::int64_t(blockIdx.x) * extrema_threads + threadIdx.x;
}
ONEFOLD_DEVICE std::int64_t answer_step() {
  return std::int64_t(gridDim.x) * extrema_threads;
}

template <class State>
ONEFOLD_DEVICE State state_at(const std::int64_t* words) {
  return State::from_words([&words] { return *words++; });
}

/// Shape:  words[answers][pieces][extrema::words], or null: states without elements, of one piece;
///         any grid of extrema_threads lanes.
/// Error:  none.
/// Order:  none: each position is the first one.
__global__ void __launch_bounds__(extrema_threads)
    write_extrema_keys(ONEFOLD_KERNEL_ARGUMENT extrema_request of, const std::int64_t* words,
                       std::int64_t pieces, extrema_words to) {
  constexpr int size = detail::extrema::words;
  ONEFOLD_ROLLED
  for (std::int64_t k = first_answer(); k < of.answers; k += answer_step()) {
    detail::extrema all;
    ONEFOLD_ROLLED
    for (std::int64_t piece = 0; words != nullptr && piece < pieces; ++piece)
      all.merge(state_at<detail::extrema>(words + (k * pieces + piece) * size));
    to.merged[k] = all;
    write_key_words(of, all, k, to.keys);
  }
}

/// Shape:  as write_extrema_keys; in.keys have been combined.
/// Error:  none.
/// Order:  none.
__global__ void __launch_bounds__(extrema_threads)
    write_extrema_positions(ONEFOLD_KERNEL_ARGUMENT extrema_request of, extrema_words in) {
  ONEFOLD_ROLLED
  for (std::int64_t k = first_answer(); k < of.answers; k += answer_step())
    write_position_words(of, in.merged[k], k, in.keys, in.positions);
}

template <class T>
ONEFOLD_COLD void round_extremum(const finish_list& list, const detail::extrema& from,
                                 std::int64_t k) {
  ONEFOLD_ROLLED
  for (int i = 0; i < list.size; ++i) {
    const finish_item& asked = list.answers[i];
    report_of_many(
        write_selection<T>(asked.what, from, list.nan, place_of_answer(asked, k), asked.type),
        list);
  }
}

ONEFOLD_DEVICE void round_extremum(const extrema_request& of, const detail::extrema& from,
                                   std::int64_t k) {
  switch (of.input) {
  case dtype::boolean:
    return round_extremum<bool>(of.finish, from, k);
  case dtype::i8:
    return round_extremum<std::int8_t>(of.finish, from, k);
  case dtype::i16:
    return round_extremum<std::int16_t>(of.finish, from, k);
  case dtype::i32:
    return round_extremum<std::int32_t>(of.finish, from, k);
  case dtype::i64:
    return round_extremum<std::int64_t>(of.finish, from, k);
  case dtype::u8:
    return round_extremum<std::uint8_t>(of.finish, from, k);
  case dtype::u16:
    return round_extremum<std::uint16_t>(of.finish, from, k);
  case dtype::u32:
    return round_extremum<std::uint32_t>(of.finish, from, k);
  case dtype::u64:
    return round_extremum<std::uint64_t>(of.finish, from, k);
  case dtype::f16:
    return round_extremum<f16>(of.finish, from, k);
  case dtype::bf16:
    return round_extremum<bf16>(of.finish, from, k);
  case dtype::f32:
    return round_extremum<float>(of.finish, from, k);
  case dtype::f64:
    return round_extremum<double>(of.finish, from, k);
  }
}

/// Of answers that ranks asked for differently.
ONEFOLD_COLD inline void refuse_extrema(const finish_list& list, std::int64_t k) {
  report_of_many(status_code::mismatch, list);
  for (int i = 0; i < list.size; ++i) {
    const finish_item& asked = list.answers[i];
    if (asked.type < dtype::f16) continue;
    void* const to = place_of_answer(asked, k);
    write_rounded({}, to, asked.type);
    if (asked.what == op::minmax) write_rounded({}, place_behind(to, asked.type), asked.type);
  }
}

/// Shape:  as write_extrema_keys; in.keys and in.positions have been combined.
/// Error:  none: an extremum is an element.
/// Order:  none.
__global__ void __launch_bounds__(extrema_threads)
    round_extrema(ONEFOLD_KERNEL_ARGUMENT extrema_request of, extrema_words in) {
  ONEFOLD_ROLLED
  for (std::int64_t k = first_answer(); k < of.answers; k += answer_step()) {
    if (is_of_request(of, k, in.keys))
      round_extremum(of, combined_extrema(of, k, in), k);
    else
      refuse_extrema(of.finish, k);
  }
}

}  // namespace onefold::cuda
