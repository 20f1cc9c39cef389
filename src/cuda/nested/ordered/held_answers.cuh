// SPDX-License-Identifier: Apache-2.0
#pragma once
// Answers that wait until each lane of a warp has one: a lane takes as long for one as 32 for 32.

#include "cuda/nested/nested.hpp"
#include "cuda/parts/warp.cuh"

namespace onefold::cuda {

/// Parts: of which finish_parts(parts, list, k) writes answer k. Lanes: so many neighbours have the
/// same answer. Every lane of the warp calls every member.
template <class Parts>
class held_answers {
 public:
  ONEFOLD_DEVICE explicit held_answers(const nested_request& of) : list_(of.finish) {}

  /// Of no answer if k < 0.
  template <int Lanes = int(warp_lanes)>
  ONEFOLD_DEVICE void take(const Parts& next, std::int64_t k) {
    if (int(lane_index()) % Lanes == count_) mine_ = next, k_ = k;
    if (++count_ == Lanes) finish<Lanes>();
  }
  template <int Lanes = int(warp_lanes)>
  ONEFOLD_DEVICE void finish() {
    if (int(lane_index()) % Lanes < count_ && k_ >= 0) finish_parts(mine_, list_, k_);
    __syncwarp();
    count_ = 0;
  }

 private:
  const finish_list& list_;
  Parts mine_ = {};
  std::int64_t k_ = -1;
  int count_ = 0;
};

}  // namespace onefold::cuda
