// SPDX-License-Identifier: Apache-2.0
// The maximum of a few integers over all ranks; where a rank failed, its message.
#include "cuda/kernels/ranks/agreement.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>

#include "cuda/runtime/failure.hpp"
#include "onefold/dtype.hpp"

namespace onefold::cuda {
namespace {

/// A status as ranks send it.
struct message {
  std::int32_t code = 0;
  char text[agreement_bytes - sizeof(code)] = {};
};
static_assert(sizeof(message) == agreement_bytes);

void copy(void* to, const void* from, std::size_t bytes, cudaStream_t stream) {
  check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream), "cudaMemcpyAsync");
}

// The status of the rank `failed`, which all ranks receive.
status shared_failure(const communicator& ranks, const status& own, int failed, std::byte* memory,
                      cudaStream_t stream) {
  message sent;
  sent.code = std::int32_t(own.code());
  const std::size_t length = std::min(own.message().size(), sizeof sent.text - 1);
  std::memcpy(sent.text, own.message().data(), length);
  std::byte* const place = memory + std::size_t(ranks.rank) * sizeof sent;
  copy(place, &sent, sizeof sent, stream);
  ranks.check(nccl().all_gather(place, memory, sizeof sent, nccl_bytes, ranks.handle, stream),
              "ncclAllGather");
  copy(&sent, memory + std::size_t(failed) * sizeof sent, sizeof sent, stream);
  check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  return {status_code(sent.code), "rank " + std::to_string(failed) + ": " + sent.text};
}

std::string type_name(std::int64_t type) {
  return std::string(name(dtype(type)));
}
std::string op_name(std::int64_t mean) {
  return mean ? "mean" : "sum";
}
std::string number(std::int64_t value) {
  return std::to_string(value);
}

/// A part of a request, and what a message says about ranks where it differs.
struct part {
  std::int64_t value;
  const char* difference;
  std::string (*text)(std::int64_t);
};

}  // namespace

status agreed(const communicator& ranks, const status& own, const element_block& block,
              std::byte* memory, cudaStream_t stream) {
  const part parts[] = {{block.mean, "by several operators", op_name},
                        {std::int64_t(block.type), "several types of elements", type_name},
                        {block.n, "several numbers of elements", number}};
  // The maximum of ~x is the minimum of x. A failed rank's own request does not count.
  constexpr std::int64_t none = std::numeric_limits<std::int64_t>::min();
  std::int64_t words[7] = {own.ok() ? none : -std::int64_t(ranks.rank)};
  for (int i = 0; i < 3; ++i) {
    words[1 + 2 * i] = own.ok() ? parts[i].value : none;
    words[2 + 2 * i] = own.ok() ? ~parts[i].value : none;
  }
  copy(memory, words, sizeof words, stream);
  ranks.check(nccl().all_reduce(memory, memory, 7, nccl_int64, nccl_max, ranks.handle, stream),
              "ncclAllReduce");
  copy(words, memory, sizeof words, stream);
  check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  if (words[0] != none) return shared_failure(ranks, own, int(-words[0]), memory, stream);
  for (int i = 0; i < 3; ++i) {
    const std::int64_t most = words[1 + 2 * i], least = ~words[2 + 2 * i];
    if (least != most)
      return {status_code::mismatch, std::string("the ranks reduce ") + parts[i].difference +
                                         ", from " + parts[i].text(least) + " to " +
                                         parts[i].text(most) + "; all have to make the same call"};
  }
  return {};
}

}  // namespace onefold::cuda
