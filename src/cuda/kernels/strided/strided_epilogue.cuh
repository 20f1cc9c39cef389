// SPDX-License-Identifier: Apache-2.0
#pragma once
// From the words of the states of many answers to answers in device memory, each by one lane: as
// rounding/epilogue.cuh, with answer k after those before it.

#include "cuda/rounding/epilogue.cuh"

namespace onefold::cuda {

/// Answers are written in any order: if there are several codes, any one of them is reported.
ONEFOLD_DEVICE void report_of_batched(status_code code, const finish_list& list) {
  if (list.status != nullptr && code != status_code::ok) atomicCAS(list.status, 0, int(code));
}

/// Writes answer k of every exact sum asked for. One lane; `space` is shared memory.
template <class State>
ONEFOLD_COLD void finish_sums_of(const std::int64_t* words, const finish_list& list, std::int64_t k,
                                 std::int64_t* space) {
  auto* const in = new (space) finish_space<State>;
  in->state.read_words([&words] { return *words++; });
  report_of_batched(write_sums(*in, list, k), list);
}

}  // namespace onefold::cuda
