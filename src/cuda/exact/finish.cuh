// SPDX-License-Identifier: Apache-2.0
#pragma once
// From the words of a state to answers in device memory, by one lane of the last block: the text of
// src/rounding/answer.hpp.
//
// Wide integers lie in shared memory, where the warps' lists were: on a stack there would be room
// for every lane of the device.

#include "cuda/exact/block.cuh"
#include "cuda/exact/finish_list.hpp"
#include "cuda/parts/words.cuh"
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
ONEFOLD_HOST_DEVICE constexpr unsigned full_shared_words(unsigned threads) {
  const bool fits = threads / warp_lanes * Words >= finish_space_words<State>;
  return shared_words<Words>(threads) + (fits ? 0 : finish_space_words<State>);
}

/// Writes the answers of exact sums. One lane, when all lanes are done with the warps' lists.
template <int Words, class State>
ONEFOLD_COLD void finish_sums(const std::int64_t* words, const finish_list& list,
                              std::int64_t* shared) {
  const unsigned lists = blockDim.x / warp_lanes * Words;
  const bool fits = lists >= finish_space_words<State>;
  auto* const space = new (shared + (fits ? 0 : lists + Words + 1)) finish_space<State>;
  space->state.read_words([&words] { return *words++; });
  status_code status = status_code::ok;
  if constexpr (requires { space->state.leave_nans_out(); } && !integer_state<State>) {
    if (list.nan == nan_policy::error && space->state.nan_count() > 0)
      return report(status_code::not_a_number, list);
    if (list.nan == nan_policy::omit) space->state.leave_nans_out();
  }
  ONEFOLD_ROLLED
  for (int i = 0; i < list.size; ++i) {
    const finish_item& asked = list.answers[i];
    const status_code code = write_exact(asked.what, space->state, list.correction, asked.to,
                                         asked.type, space->storage);
    if (status == status_code::ok) status = code;
  }
  report(status, list);
}

/// Writes the answers of the other accumulators over elements of T. One lane.
template <class T, class State>
ONEFOLD_COLD void finish_selection(const std::int64_t* from, const finish_list& list) {
  std::int64_t words[State::words];
  for (int i = 0; i < State::words; ++i) words[i] = from[i];
  if constexpr (std::is_same_v<State, detail::extrema>) move_positions(words, list.first_index);
  const std::int64_t* next = words;
  const State state = State::from_words([&next] { return *next++; });
  status_code status = status_code::ok;
  ONEFOLD_ROLLED
  for (int i = 0; i < list.size; ++i) {
    const finish_item& asked = list.answers[i];
    const status_code code = write_selection<T>(asked.what, state, list.nan, asked.to, asked.type);
    if (status == status_code::ok) status = code;
  }
  report(status, list);
}

}  // namespace onefold::cuda
