// SPDX-License-Identifier: Apache-2.0
// Work is enqueued on the streams of the fake runtime. Messages are written when the stream comes
// to them, as on a device.
#include "cuda/fake_nccl.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "cuda/fake_runtime.hpp"

namespace onefold::cuda::test {
namespace {

int calls_to_failure = 0, open_groups = 0;
ncclComm* in_group = nullptr;

bool fails() {
  return calls_to_failure > 0 && --calls_to_failure == 0;
}

void must(bool fine) {
  if (!fine) std::abort();
}

// What a call returns that has enqueued its work. The next one has to wait until it has ended.
int begun(ncclComm* comm, int enqueued) {
  must(comm->in_progress == 0);
  if (comm->blocks || enqueued != 0) return enqueued;
  if (open_groups == 0) comm->in_progress = 2;
  in_group = open_groups > 0 ? comm : nullptr;
  return 7;
}

// The words of the other ranks are added, or their maximum is taken, when the stream comes here.
int reduce_others(const std::int64_t* from, std::int64_t* to, std::size_t n, bool sum,
                  ncclComm* comm, cudaStream_t stream) {
  must(is_known(from) && is_known(to) && comm->reduced < comm->words.size());
  const auto& others = comm->words[comm->reduced++];
  must(others.size() == n);
  return enqueue(stream, [=] {
    for (std::size_t i = 0; i < n; ++i)
      to[i] = sum ? from[i] + others[i] : std::max(from[i], others[i]);
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
  --open_groups;
  if (ncclComm* const comm = std::exchange(in_group, nullptr); comm != nullptr)
    return begun(comm, fails());
  return fails();
}
int ncclCommGetAsyncError(ncclComm* comm, int* to) {
  *to = comm->in_progress > 0 && --comm->in_progress > 0 ? 7 : 0;
  return fails();
}
int ncclAllReduce(const void* from, void* to, std::size_t n, int type, int op, ncclComm* comm,
                  cudaStream_t stream) {
  if (fails()) return 1;
  must(type == 4 && (op == 0 || op == 2) && open_groups == 0);
  return begun(comm, reduce_others(static_cast<const std::int64_t*>(from),
                                   static_cast<std::int64_t*>(to), n, op == 0, comm, stream));
}
// A share of a block of this rank's vector, of which nothing has been received yet; or its answers
// of a block before.
int ncclSend(const void* from, std::size_t bytes, int type, int peer, ncclComm* comm,
             cudaStream_t stream) {
  if (fails()) return 1;
  must(type == 0 && open_groups == 1 && peer != comm->rank && is_known(from));
  const auto rank = std::size_t(comm->rank);
  const auto first = std::size_t(static_cast<const std::byte*>(from) - comm->x);
  const bool share = first >= comm->received;
  must(first ==
       (share ? comm->received + std::size_t(peer) * bytes : comm->gathered + rank * bytes));
  const auto& wanted = share ? comm->vectors[rank] : comm->answers;
  must(first + bytes <= wanted.size());
  return begun(comm, enqueue(stream, [=, &wanted] {
                 must(std::memcmp(from, wanted.data() + first, bytes) == 0);
               }));
}
// A share, or answers, which go to this rank's vector. All ranks but this one send in turn; a block
// ends with the last of them.
int ncclRecv(void* to, std::size_t bytes, int type, int peer, ncclComm* comm, cudaStream_t stream) {
  if (fails()) return 1;
  must(type == 0 && open_groups == 1 && peer != comm->rank && is_known(to));
  const auto place = std::uintptr_t(to) - std::uintptr_t(comm->x);
  const bool share = place >= comm->answers.size();
  std::size_t& blocks = share ? comm->received : comm->gathered;
  const std::size_t first = blocks + std::size_t(share ? comm->rank : peer) * bytes;
  const auto& from = share ? comm->vectors[std::size_t(peer)] : comm->answers;
  must(first + bytes <= from.size() && (share || place == first));
  comm->largest_message = std::max(comm->largest_message, bytes);
  const int last = comm->rank == comm->ranks - 1 ? comm->ranks - 2 : comm->ranks - 1;
  if (peer == last) blocks += std::size_t(comm->ranks) * bytes;
  return begun(comm, enqueue(stream, [=, &from] { std::memcpy(to, from.data() + first, bytes); }));
}
// What is left of all vectors, or messages, of which this rank's is in its place.
int ncclAllGather(const void* from, void* to, std::size_t bytes, int type, ncclComm* comm,
                  cudaStream_t stream) {
  if (fails()) return 1;
  must(type == 0 && open_groups == 0 && is_known(from) && is_known(to));
  if (!comm->messages.empty()) {
    must(comm->messages.size() == bytes * std::size_t(comm->ranks));
    return begun(comm, enqueue(stream, [=] {
                   std::byte* const place = comm->messages.data() + std::size_t(comm->rank) * bytes;
                   std::memcpy(place, from, bytes);
                   std::memcpy(to, comm->messages.data(), comm->messages.size());
                 }));
  }
  const auto first = std::size_t(static_cast<const std::byte*>(from) - comm->x);
  return begun(comm, enqueue(stream, [=] {
                 for (std::size_t k = 0; k < std::size_t(comm->ranks); ++k)
                   std::memcpy(static_cast<std::byte*>(to) + k * bytes,
                               comm->vectors[k].data() + first, bytes);
               }));
}
}
