// SPDX-License-Identifier: Apache-2.0
#pragma once
// States of a device as groups of words that add, and sums of groups as rounded answers, by the
// accumulators' own conversions. A block of one warp takes one answer after another: its lanes copy
// words, and one of them converts.

#include "cuda/nested/finish.cuh"
#include "cuda/ranks/additive.hpp"
#include "onefold/exact.hpp"

namespace onefold::cuda {

template <class State>
inline constexpr int group_words_of = detail::additive_header + State::additive_words;

/// Whether it is rounded by write_exact, and not by write_selection.
template <class State>
concept exact_sum_state = requires {
  typename State::storage;
};

// Wide integers are in shared memory, as in exact/finish.cuh.
template <class State>
inline constexpr int space_words = (sizeof(State) + 7) / 8;

template <class State>
ONEFOLD_COLD void write_group(const std::int64_t* words, std::int64_t signature,
                              std::int64_t* space, std::int64_t* group) {
  auto* const state = new (space) State;
  const auto next = [&words] { return *words++; };
  if (words != nullptr) {
    if constexpr (exact_sum_state<State>)
      state->read_words(next);
    else
      *state = State::from_words(next);
  }
  detail::write_additive_header(group, signature);
  state->write_additive(group + detail::additive_header);
}

/// Shape:  words[answers][pieces][State::words], or null: states without elements, of one piece;
///         groups[answers][group_words_of<State>]; blocks of one warp, any number of them.
/// Error:  none: the group of an answer is the sum of its pieces' groups, whose limbs are carried.
/// Order:  none: integers.
template <class State>
__global__ void __launch_bounds__(warp_lanes)
    write_groups(const std::int64_t* words, std::int64_t answers, std::int64_t pieces,
                 std::int64_t signature, std::int64_t* groups) {
  constexpr int size = group_words_of<State>, each = (size + warp_lanes - 1) / warp_lanes;
  __shared__ std::int64_t from[State::words], space[space_words<State>], group[size];
  for (std::int64_t k = blockIdx.x; k < answers; k += gridDim.x) {
    std::int64_t sums[each] = {};
    ONEFOLD_ROLLED
    for (std::int64_t piece = k * pieces; piece < (k + 1) * pieces; ++piece) {
      for (unsigned i = threadIdx.x; words != nullptr && i < State::words; i += warp_lanes)
        from[i] = words[piece * State::words + i];
      __syncthreads();
      if (threadIdx.x == 0)
        write_group<State>(words != nullptr ? from : nullptr, signature, space, group);
      __syncthreads();
      ONEFOLD_UNROLL
      for (int i = 0; i < each; ++i)
        if (i * warp_lanes + threadIdx.x < size) sums[i] += group[i * warp_lanes + threadIdx.x];
    }
    ONEFOLD_UNROLL
    for (int i = 0; i < each; ++i)
      if (i * warp_lanes + threadIdx.x < size)
        groups[k * size + i * warp_lanes + threadIdx.x] = sums[i];
  }
}

/// The answers of exact sums, from the sum of the groups. One lane.
template <class T, exact_sum_state State>
ONEFOLD_COLD void round_state(const std::int64_t* words, const finish_list& list, std::int64_t k,
                              std::int64_t* space) {
  auto* const in = new (space) finish_space<State>;
  in->state.read_additive(words);
  if constexpr (requires { in->state.leave_nans_out(); } && !integer_state<State>) {
    if (list.nan == nan_policy::error && in->state.nan_count() > 0)
      return report_of_many(status_code::not_a_number, list);
    if (list.nan == nan_policy::omit) in->state.leave_nans_out();
  }
  ONEFOLD_ROLLED
  for (int i = 0; i < list.size; ++i) {
    const finish_item& asked = list.answers[i];
    report_of_many(write_exact(asked.what, in->state, list.correction, place_of_answer(asked, k),
                               asked.type, in->storage),
                   list);
  }
}

/// The same of counts and bits, of elements of T.
template <class T, class State>
ONEFOLD_COLD void round_state(const std::int64_t* words, const finish_list& list, std::int64_t k,
                              std::int64_t*) {
  State state;
  state.read_additive(words);
  ONEFOLD_ROLLED
  for (int i = 0; i < list.size; ++i) {
    const finish_item& asked = list.answers[i];
    report_of_many(
        write_selection<T>(asked.what, state, list.nan, place_of_answer(asked, k), asked.type),
        list);
  }
}

ONEFOLD_COLD inline void refuse_group(const finish_list& list, std::int64_t k) {
  report_of_many(status_code::mismatch, list);
  for (int i = 0; i < list.size; ++i) {
    const finish_item& asked = list.answers[i];
    if (asked.type >= dtype::f16) write_rounded({}, place_of_answer(asked, k), asked.type);
  }
}

template <class State>
inline constexpr int rounding_words = space_words<State>;
template <exact_sum_state State>
inline constexpr int rounding_words<State> = int(finish_space_words<State>);

/// Shape:  groups[answers][group_words_of<State>], sums of groups; blocks of one warp, any number
///         of them.
/// Error:  answers as on the host: rounded once.
/// Order:  none.
template <class T, class State>
__global__ void __launch_bounds__(warp_lanes)
    round_groups(const std::int64_t* groups, std::int64_t answers, std::int64_t signature,
                 ONEFOLD_KERNEL_ARGUMENT finish_list list) {
  constexpr int size = group_words_of<State>;
  __shared__ std::int64_t group[size], space[rounding_words<State>];
  for (std::int64_t k = blockIdx.x; k < answers; k += gridDim.x) {
    for (int i = int(threadIdx.x); i < size; i += warp_lanes) group[i] = groups[k * size + i];
    __syncthreads();
    if (threadIdx.x == 0) {
      if (detail::read_additive_header(group) == signature)
        round_state<T, State>(group + detail::additive_header, list, k, space);
      else
        refuse_group(list, k);
    }
    __syncthreads();
  }
}

template <class T, class Work>
int launch_sums(accumulator of, const Work& work) {
  switch (of) {
  case accumulator::total:
  case accumulator::magnitudes:
    return work.template launch<T, exact_sum<T>>();
  case accumulator::squares:
  case accumulator::products:
    return work.template launch<T, exact_dot<T>>();
  default:
    return work.template launch<T, exact_moments<T>>();
  }
}

template <class Work>
int launch_bits(dtype input, const Work& work) {
  return with_type(input, [&]<class T>(detail::tag<T>) {
    if constexpr (std::is_integral_v<T>)
      return work.template launch<T, detail::bit_fold>();
    else
      return work.refused();
  });
}

/// work.launch<T, State>() for the request's states. T: the elements of bits; counts and sums need
/// not know theirs.
template <class Work>
int launch_state(const group_request& of, const Work& work) {
  if (of.of == accumulator::counts) return work.template launch<bool, detail::nonzero_counts>();
  if (of.of == accumulator::bits) return launch_bits(of.input, work);
  if (of.of > accumulator::moments) return work.refused();
  switch (of.input) {
  case dtype::f16:
    return launch_sums<f16>(of.of, work);
  case dtype::bf16:
    return launch_sums<bf16>(of.of, work);
  case dtype::f32:
    return launch_sums<float>(of.of, work);
  case dtype::f64:
    return launch_sums<double>(of.of, work);
  default:
    return launch_sums<std::int64_t>(of.of, work);
  }
}

}  // namespace onefold::cuda
