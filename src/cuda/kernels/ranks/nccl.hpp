// SPDX-License-Identifier: Apache-2.0
// NCCL's functions, found at run time: the process' own, or those of libnccl.so.2.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

struct ncclComm;

namespace onefold::cuda {

// NCCL's types and operators, by the numbers of its interface, which it keeps from version to
// version.
inline constexpr int nccl_bytes = 0, nccl_int64 = 4;  // ncclInt8, ncclInt64
inline constexpr int nccl_sum = 0, nccl_max = 2;
inline constexpr int nccl_in_progress = 7;  // of a communicator that does not block

/// The functions that exact reductions use, as nccl.h declares them; all return a ncclResult_t.
struct nccl_library {
  const char* (*error_string)(int);
  int (*count)(const ncclComm*, int*);
  int (*rank)(const ncclComm*, int*);
  int (*device)(const ncclComm*, int*);
  int (*async_error)(ncclComm*, int*);
  int (*all_reduce)(const void*, void*, std::size_t, int type, int op, ncclComm*, cudaStream_t);
  int (*all_gather)(const void*, void*, std::size_t, int type, ncclComm*, cudaStream_t);
  int (*send)(const void*, std::size_t, int type, int peer, ncclComm*, cudaStream_t);
  int (*receive)(void*, std::size_t, int type, int peer, ncclComm*, cudaStream_t);
  int (*group_start)();
  int (*group_end)();
};

/// Fails: throws onefold::error (unsupported: no NCCL, or one without a function that is needed).
const nccl_library& nccl();

/// Fails: throws onefold::error (device_error, with NCCL's reason).
void check_nccl(int code, const char* call);

/// A communicator, as its library describes it.
struct communicator {
  ncclComm* handle = nullptr;
  int ranks = 1, rank = 0, device = 0;

  /// Fails: throws onefold::error (as nccl(); usage: null).
  explicit communicator(ncclComm* comm);

  /// Waits while the host side of a call is in progress. Fails: as check_nccl.
  void check(int code, const char* call) const;
};

}  // namespace onefold::cuda
