// SPDX-License-Identifier: Apache-2.0
// The requests of every_kernel choose kernels by the library's own launchers, over a runtime that
// launches nothing. tools/kernel_coverage runs this program, and checks that all are chosen.
#include <gtest/gtest.h>

#include "cuda/every/launches.hpp"
#include "cuda/every/requests.hpp"

namespace onefold::cuda::test {
namespace {

TEST(cuda_launches, are_recorded) {
  kernels_compute = false;
  for (const auto groups :
       {whole_requests(), several_requests(), normalized_requests(), other_requests()})
    for (const request_group& group : groups)
      for (const dtype type : all_dtypes)
        if (group.has(type)) group.ask(type);
  EXPECT_FALSE(kernels_seen().launched.empty());
}

}  // namespace
}  // namespace onefold::cuda::test
