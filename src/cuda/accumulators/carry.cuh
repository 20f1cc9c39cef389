// SPDX-License-Identifier: Apache-2.0
#pragma once
// The carries of a wide integer by a whole warp: one lane would take some 30 cycles a digit, and
// products of f64 have 134 of them.

#include "cuda/accumulators/wide.cuh"

namespace onefold::cuda {

/// Which of 32 digits get a carry (or borrow) of one, a bit each, if `made` digits hand one on and
/// `passed` ones hand on what they get: the carries of an addition. One into the lowest: `first`,
/// which becomes the one out of the highest.
ONEFOLD_DEVICE std::uint32_t carries_of(std::uint32_t made, std::uint32_t passed, unsigned& first) {
  const std::uint64_t sum = std::uint64_t(made | passed) + made + first;
  first = unsigned(sum >> 32);
  return std::uint32_t(sum) ^ passed;
}

/// The digits as the host's engine leaves them: all but the last within 0 … 2^32 - 1. The value
/// stays. One warp. Precondition: |digit| < 2^62.
///
/// One carry one place up brings all digits but the last within 2^31 of their range, another to
/// -1 … 2^32. Then digits hand ones up, and, once more, take them.
template <int Limbs>
ONEFOLD_DEVICE void carry_digits(std::int64_t* words) {
  constexpr int shares = (Limbs + int(warp_lanes) - 1) / int(warp_lanes);
  constexpr std::uint32_t full = 0xFFFFFFFF;
  const int lane = int(lane_index());
  const warp_digits<Limbs, Limbs> digits(words);
  digits.carry();
  std::int64_t carried[shares];
  unsigned up = 0, down = 0;
  ONEFOLD_UNROLL
  for (int s = 0; s < shares; ++s) {
    const int at = lane + s * int(warp_lanes);
    const std::int64_t own = at < Limbs ? words[at] : 0;
    const std::int64_t below = 0 < at && at < Limbs ? words[at - 1] >> 32 : 0;
    const bool more = below > 0, less = below < 0;
    const std::uint32_t raised = std::uint32_t(own) + more;
    const bool over = more && raised == 0;
    const std::uint32_t ups =
        carries_of(__ballot_sync(whole_warp, over), __ballot_sync(whole_warp, raised == full), up);
    const std::uint32_t sum = raised + (ups >> lane & 1), lowered = sum - less;
    const bool under = less && sum == 0;
    const std::uint32_t downs = carries_of(__ballot_sync(whole_warp, under),
                                           __ballot_sync(whole_warp, lowered == 0 && !under), down);
    carried[s] = at + 1 < Limbs ? std::int64_t(lowered - (downs >> lane & 1))
                                : own + below + (ups >> lane & 1) - (downs >> lane & 1);
  }
  __syncwarp();
  ONEFOLD_UNROLL
  for (int s = 0; s < shares; ++s)
    if (lane + s * int(warp_lanes) < Limbs) words[lane + s * int(warp_lanes)] = carried[s];
  __syncwarp();
}

}  // namespace onefold::cuda
