// SPDX-License-Identifier: Apache-2.0
// What a launch over a whole array writes next to the state's words: answers in device memory.
#pragma once

#include <cstdint>

#include "onefold/dtype.hpp"
#include "onefold/nan_policy.hpp"
#include "onefold/op.hpp"

namespace onefold::cuda {

struct finish_item {
  void* to = nullptr;  ///< aligned to its type
  onefold::op op = onefold::op::sum;
  dtype type = dtype::f64;
};

/// A kernel's argument, by value. Without answers the host finishes.
struct finish_list {
  static constexpr int most = 6;  ///< no accumulator has more operators
  finish_item answers[most];
  int size = 0;
  nan_policy nan = nan_policy::propagate;
  bool is_first = false;        ///< of the launches that share a status word: the one that sets it
  std::int64_t correction = 0;  ///< others are rounded on the host (reasons.cpp)
  std::int64_t first_index = 0;
  /// Of the first answer that was not written, in the order of launches and answers; null: it is
  /// not asked for.
  std::int32_t* status = nullptr;
  const std::int64_t* count = nullptr;  ///< as options::count
  /// Not 0: an earlier launch has written the answers, and this one does nothing.
  const std::int64_t* decided = nullptr;
};

}  // namespace onefold::cuda
