// SPDX-License-Identifier: Apache-2.0
#pragma once
// From the words of a state to answers in device memory, by one lane of the last block: the text of
// src/rounding/answer.hpp.
//
// Wide integers lie in shared memory, where the warps' lists were: on a stack there would be room
// for every lane of the device.

#include "cuda/accumulators/block.cuh"
#include "cuda/primitives/element.cuh"
#include "cuda/primitives/load.cuh"
#include "cuda/primitives/words.cuh"
#include "cuda/rounding/epilogue_outputs.hpp"
#include "rounding/answer.hpp"
#include "state/positions.hpp"

#include <new>

namespace onefold::cuda {

/// How many of n elements count.
ONEFOLD_DEVICE std::int64_t counted_items(std::int64_t n, const finish_list& list) {
  if (list.count == nullptr) return n;
  const std::int64_t given = *list.count;
  return given < 0 ? 0 : given < n ? given : n;
}

ONEFOLD_DEVICE bool is_decided(const finish_list& list) {
  return list.decided != nullptr && *list.decided != 0;
}

ONEFOLD_DEVICE void report(status_code code, const finish_list& list) {
  if (list.status != nullptr && (list.is_first || *list.status == 0)) *list.status = int(code);
}

/// A state of wide integers and what they need to be rounded.
template <class State>
struct finish_space {
  State state;
  typename State::storage storage;
};
template <class State>
inline constexpr unsigned finish_space_words = (sizeof(finish_space<State>) + 7) / 8;

/// shared_words, and where the warps' lists are shorter than a finish_space, one after them.
template <int Words, class State>
ONEFOLD_HOST_DEVICE constexpr unsigned whole_shared_words(unsigned threads) {
  const bool fits = threads / warp_lanes * Words >= finish_space_words<State>;
  return shared_words<Words>(threads) + (fits ? 0 : finish_space_words<State>);
}

/// Where answer k of those that begin with one asked for is written.
ONEFOLD_DEVICE void* place_of_answer(const finish_item& item, std::int64_t k) {
  const auto width =
      static_cast<char*>(place_behind(item.to, item.type)) - static_cast<char*>(item.to);
  return static_cast<char*>(item.to) + k * width * (item.op == op::minmax ? 2 : 1);
}

/// Writes answer k of each exact sum asked for. Returns the first code that is not ok. One lane.
template <class State>
ONEFOLD_DEVICE status_code write_sums(finish_space<State>& in, const finish_list& list,
                                      std::int64_t k) {
  if constexpr (requires { in.state.leave_nans_out(); } && !integer_state<State>) {
    if (list.nan == nan_policy::error && in.state.nan_count() > 0) return status_code::not_a_number;
    if (list.nan == nan_policy::omit) in.state.leave_nans_out();
  }
  status_code status = status_code::ok;
  ONEFOLD_ROLLED
  for (int i = 0; i < list.size; ++i) {
    const finish_item& item = list.answers[i];
    const status_code code = write_exact(item.op, in.state, list.correction,
                                         place_of_answer(item, k), item.type, in.storage);
    if (status == status_code::ok) status = code;
  }
  return status;
}

/// write_number of what numbers of all types become without loss. One function for all answers.
template <class T>
ONEFOLD_COLD status_code write_wide(T value, void* to, dtype type) {
  return write_number(value, to, type);
}
ONEFOLD_DEVICE status_code write_integer_of(std::int64_t value, const element_kind& kind, void* to,
                                            dtype type) {
  if (type == dtype::boolean && kind.type == type) return store(to, value != 0), status_code::ok;
  return kind.is_signed ? write_wide(value, to, type) : write_wide(std::uint64_t(value), to, type);
}
ONEFOLD_DEVICE status_code write_extremum_of(const detail::extrema::one& element,
                                             const element_kind& kind, void* to, dtype type) {
  switch (kind.type) {
  case dtype::f16:
    return write_wide(double_of<f16>(detail::to_bits(element.value<f16>())), to, type);
  case dtype::bf16:
    return write_wide(double_of<bf16>(detail::to_bits(element.value<bf16>())), to, type);
  case dtype::f32:
    return write_wide(double(element.value<float>()), to, type);
  case dtype::f64:
    return write_wide(element.value<double>(), to, type);
  case dtype::u64:
    return write_wide(element.value<std::uint64_t>(), to, type);
  default:
    return write_integer_of(element.key, kind, to, type);
  }
}

/// write_selection of elements whose type is known when the kernel runs.
ONEFOLD_DEVICE status_code write_selection_of(op op, const detail::nonzero_counts& from,
                                              const element_kind&, nan_policy nan, void* to,
                                              dtype type) {
  return write_selection<bool>(op, from, nan, to, type);
}
ONEFOLD_DEVICE status_code write_selection_of(op op, const detail::bit_fold& from,
                                              const element_kind& kind, nan_policy, void* to,
                                              dtype type) {
  using bits = std::uint64_t;
  const bits raw = op == op::bit_and  ? from.bit_and<bits>()
                   : op == op::bit_or ? from.bit_or<bits>()
                                      : from.bit_xor<bits>();
  const bits own = raw & ~bits(0) >> (64 - 8 * unsigned(kind.bytes));
  return write_integer_of(integer_of(own, kind), kind, to, type);
}
ONEFOLD_DEVICE status_code write_selection_of(op op, const detail::extrema& from,
                                              const element_kind& kind, nan_policy nan, void* to,
                                              dtype type) {
  const bool omit = nan == nan_policy::omit, nans = from.nan_count() > 0 && !omit;
  if (nans && nan == nan_policy::error) return status_code::not_a_number;
  if (from.empty(omit))  // the norm of no elements is that of their sum
    return op == op::norminf ? write_number(false, to, type) : status_code::empty;
  if (op == op::argmin || op == op::argmax)
    return write_wide(op == op::argmin ? from.argmin(omit) : from.argmax(omit), to, type);
  if (op == op::norminf && !kind.floating)
    return write_wide(kind.type == dtype::u64 ? from.norminf<std::uint64_t>(omit)
                                              : from.norminf<std::int64_t>(omit),
                      to, type);
  detail::extrema::one least = from.least(), largest = from.largest();
  if (op == op::norminf) least = {max(-least.key, largest.key), 0, true};
  if (op == op::max) least = largest;
  const auto write = [&](const detail::extrema::one& element, void* place) {
    if (nans) return write_wide(__longlong_as_double(0x7FF8000000000000), place, type);
    return write_extremum_of(element, kind, place, type);
  };
  const status_code done = write(least, to);
  if (op != op::minmax || done != status_code::ok) return done;
  return write(largest, place_behind(to, type));
}
/// As write_sums, of the other accumulators.
template <class State>
ONEFOLD_DEVICE status_code write_selections(const State& state, const element_kind& kind,
                                            const finish_list& list, std::int64_t k) {
  status_code status = status_code::ok;
  ONEFOLD_ROLLED
  for (int i = 0; i < list.size; ++i) {
    const finish_item& item = list.answers[i];
    const status_code code =
        write_selection_of(item.op, state, kind, list.nan, place_of_answer(item, k), item.type);
    if (status == status_code::ok) status = code;
  }
  return status;
}

/// Copies the words of a state out of shared memory; to: null where only answers are written.
/// `lanes` of a block share the words.
template <int Words>
ONEFOLD_DEVICE void copy_words(const std::int64_t* from, std::int64_t* to, unsigned lanes) {
  if (to == nullptr) return;
  for (unsigned i = threadIdx.x; i < Words; i += lanes) to[i] = from[i];
}

/// Writes the answers of exact sums. One lane, when all lanes are done with the warps' lists.
template <int Words, class State>
ONEFOLD_COLD void finish_sums(const std::int64_t* words, const finish_list& list,
                              std::int64_t* shared) {
  const unsigned lists = blockDim.x / warp_lanes * Words;
  const bool fits = lists >= finish_space_words<State>;
  auto* const space = new (shared + (fits ? 0 : lists + Words + 1)) finish_space<State>;
  space->state.read_words([&words] { return *words++; });
  report(write_sums(*space, list, 0), list);
}

/// Writes the answers of the other accumulators. One lane.
template <class State>
ONEFOLD_COLD void finish_selection(const std::int64_t* from, const element_kind& kind,
                                   const finish_list& list) {
  std::int64_t words[State::words];
  for (int i = 0; i < State::words; ++i) words[i] = from[i];
  if constexpr (std::is_same_v<State, detail::extrema>) move_positions(words, list.first_index);
  const std::int64_t* next = words;
  report(write_selections(State::from_words([&next] { return *next++; }), kind, list, 0), list);
}

}  // namespace onefold::cuda
