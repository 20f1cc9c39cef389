// SPDX-License-Identifier: Apache-2.0
// Work is enqueued on the streams of the fake runtime. Messages are written when the stream comes
// to them, as on a device.
#include "cuda/fake_nccl.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "cuda/fake_runtime.hpp"

namespace onefold::cuda::test {
namespace {

int calls_to_failure = 0, open_groups = 0;

bool fails() {
  return calls_to_failure > 0 && --calls_to_failure == 0;
}

void must(bool fine) {
  if (!fine) std::abort();
}

// The words of the other ranks are added when the stream comes here.
int add_others(const std::int64_t* from, std::int64_t* to, std::size_t n, ncclComm* comm,
               cudaStream_t stream) {
  must(is_known(from) && is_known(to) && comm->reduced < comm->sums.size());
  const auto& others = comm->sums[comm->reduced++];
  must(others.size() == n);
  return enqueue(stream, [=] {
    for (std::size_t i = 0; i < n; ++i) to[i] = from[i] + others[i];
  });
}

}  // namespace

void fail_nccl_call(int n) {
  calls_to_failure = n;
}

}  // namespace onefold::cuda::test

using namespace onefold::cuda::test;

extern "C" {

const char* ncclGetErrorString(int) {
  return "a planted failure of NCCL";
}
int ncclCommCount(const ncclComm* comm, int* to) {
  return *to = comm->ranks, fails();
}
int ncclCommUserRank(const ncclComm* comm, int* to) {
  return *to = comm->rank, fails();
}
int ncclCommCuDevice(const ncclComm* comm, int* to) {
  return *to = comm->device, fails();
}
int ncclGroupStart() {
  return ++open_groups, fails();
}
int ncclGroupEnd() {
  return --open_groups, fails();
}
int ncclAllReduce(const void* from, void* to, std::size_t n, int type, int op, ncclComm* comm,
                  cudaStream_t stream) {
  if (fails()) return 1;
  must(type == 4 && op == 0 && open_groups == 0);
  return add_others(static_cast<const std::int64_t*>(from), static_cast<std::int64_t*>(to), n, comm,
                    stream);
}
// Of a share of this rank's vector, which is what the test said it is.
int ncclSend(const void* from, std::size_t bytes, int type, int peer, ncclComm* comm,
             cudaStream_t stream) {
  if (fails()) return 1;
  must(type == 0 && open_groups == 1 && peer != comm->rank && is_known(from));
  const auto& mine = comm->vectors[std::size_t(comm->rank)];
  const std::size_t first = comm->received + std::size_t(peer) * bytes;
  must(first + bytes <= mine.size());
  return enqueue(stream, [=, &mine] { must(std::memcmp(from, mine.data() + first, bytes) == 0); });
}
// All ranks but this one send their share in turn; a block ends with the last of them.
int ncclRecv(void* to, std::size_t bytes, int type, int peer, ncclComm* comm, cudaStream_t stream) {
  if (fails()) return 1;
  must(type == 0 && open_groups == 1 && peer != comm->rank && is_known(to));
  const auto& theirs = comm->vectors[std::size_t(peer)];
  const std::size_t first = comm->received + std::size_t(comm->rank) * bytes;
  must(first + bytes <= theirs.size());
  comm->largest_message = std::max(comm->largest_message, bytes);
  const int last = comm->rank == comm->ranks - 1 ? comm->ranks - 2 : comm->ranks - 1;
  if (peer == last) comm->received += std::size_t(comm->ranks) * bytes;
  return enqueue(stream, [=, &theirs] { std::memcpy(to, theirs.data() + first, bytes); });
}
// In place: the answers of the other ranks. Else what is left of all vectors.
int ncclAllGather(const void* from, void* to, std::size_t bytes, int type, ncclComm* comm,
                  cudaStream_t stream) {
  if (fails()) return 1;
  must(type == 0 && open_groups == 0 && is_known(from) && is_known(to));
  auto* const all = static_cast<std::byte*>(to);
  const auto rank = std::size_t(comm->rank), ranks = std::size_t(comm->ranks);
  const std::size_t first = comm->gathered;
  if (from == all + rank * bytes) {
    comm->gathered += ranks * bytes;
    must(comm->gathered <= comm->answers.size());
    return enqueue(stream, [=] {
      const std::byte* const answers = comm->answers.data() + first;
      must(std::memcmp(from, answers + rank * bytes, bytes) == 0);
      std::memcpy(all, answers, ranks * bytes);
    });
  }
  comm->gathered += bytes;
  return enqueue(stream, [=] {
    for (std::size_t k = 0; k < ranks; ++k)
      std::memcpy(all + k * bytes, comm->vectors[k].data() + first, bytes);
  });
}
}
