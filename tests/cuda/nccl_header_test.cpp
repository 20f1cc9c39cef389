// SPDX-License-Identifier: Apache-2.0
// What the library declares of NCCL is what NCCL's own header says, where that is installed.
#include <gtest/gtest.h>

#if __has_include(<nccl.h>)
#include <nccl.h>

#include <type_traits>

#include "cuda/kernels/ranks/nccl.hpp"
#include "onefold/nccl.hpp"

namespace onefold::cuda::test {
namespace {

static_assert(std::is_same_v<ncclComm_t, ncclComm*>);
static_assert(ncclInt8 == nccl_bytes && ncclInt64 == nccl_int64);
static_assert(ncclSum == nccl_sum && ncclSuccess == 0 && ncclInProgress == nccl_in_progress);

/// Enumerations of NCCL are passed as ints.
template <class T>
using passed = std::conditional_t<std::is_enum_v<T>, int, T>;
template <class Ours, class Result, class... Arguments>
constexpr bool same(Result (*)(Arguments...)) {
  using theirs = passed<Result> (*)(passed<Arguments>...);
  return std::is_same_v<Ours, theirs> && sizeof(passed<Result>) == sizeof(Result);
}

TEST(cuda_nccl_header, functions_are_declared_as_there) {
  using ours = nccl_library;
  static_assert(sizeof(ncclDataType_t) == sizeof(int) && sizeof(ncclRedOp_t) == sizeof(int));
  EXPECT_TRUE(same<decltype(ours::error_string)>(&ncclGetErrorString));
  EXPECT_TRUE(same<decltype(ours::all_reduce)>(&ncclAllReduce));
  EXPECT_TRUE(same<decltype(ours::all_gather)>(&ncclAllGather));
  EXPECT_TRUE(same<decltype(ours::send)>(&ncclSend));
  EXPECT_TRUE(same<decltype(ours::receive)>(&ncclRecv));
  EXPECT_TRUE(same<decltype(ours::group_start)>(&ncclGroupStart));
  EXPECT_TRUE(same<decltype(ours::group_end)>(&ncclGroupEnd));
  // ncclComm_t is const there, which says nothing of the communicator.
  using query = int (*)(ncclComm*, int*);
  EXPECT_TRUE(same<query>(&ncclCommCount));
  EXPECT_TRUE(same<query>(&ncclCommUserRank));
  EXPECT_TRUE(same<query>(&ncclCommCuDevice));
  static_assert(sizeof(ncclResult_t) == sizeof(int));
  EXPECT_TRUE(same<int (*)(ncclComm*, ncclResult_t*)>(&ncclCommGetAsyncError));
}

}  // namespace
}  // namespace onefold::cuda::test

#else

TEST(cuda_nccl_header, functions_are_declared_as_there) {
  GTEST_SKIP() << "nccl.h is not installed";
}

#endif
