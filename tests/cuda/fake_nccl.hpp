// SPDX-License-Identifier: Apache-2.0
// NCCL without ranks: a test says what the others send. The library finds its functions in the
// process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

struct ncclComm {
  int ranks = 1, rank = 0, device = 0;
  bool blocks = true;  ///< else calls are in progress when they return
  /// The words of the other ranks, which ncclAllReduce combines in turn, a list a call.
  std::vector<std::vector<std::int64_t>> words = {};
  /// The vectors of all ranks, and the answers of all elements, for element-wise exchanges.
  std::vector<std::vector<std::byte>> vectors = {};
  std::vector<std::byte> answers = {};
  const std::byte* x = nullptr;  ///< where this rank's vector is
  /// What ncclAllGather receives from all ranks, if it is not what is left of all vectors.
  std::vector<std::byte> messages = {};

  // How far the exchange is.
  std::size_t reduced = 0, received = 0, gathered = 0;
  std::size_t largest_message = 0;
  int in_progress = 0;  ///< questions until the last call has ended
};

namespace onefold::cuda::test {

/// The n-th call of NCCL from now on fails; 0: none does.
void fail_nccl_call(int n);

}  // namespace onefold::cuda::test
