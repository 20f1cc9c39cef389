// SPDX-License-Identifier: Apache-2.0
#include "cuda/normalize/softmax.hpp"

#include "cuda/device.hpp"
#include "cuda/engine.hpp"
#include "cuda/normalize/row_device.hpp"

namespace onefold::cuda {

status softmax(const executor::cuda& on, const softmax_rows& of) try {
  if (of.rows == 0 || of.n == 0) return device_of(on), status();
  const device_guard here(device_of_all(on, {of.x, of.y}));
  check(cudaError_t(launch_softmax(softmax_launch_of(of), on.stream)), "launching a kernel");
  return {};
} catch (const error& failed) {
  return failed.why();
}

}  // namespace onefold::cuda
