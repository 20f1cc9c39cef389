// SPDX-License-Identifier: Apache-2.0
#include "cuda/normalize/rms_norm.hpp"

#include "cuda/device.hpp"
#include "cuda/engine.hpp"
#include "cuda/normalize/row_device.hpp"

namespace onefold::cuda {

status rms_norm(const executor::cuda& on, const rms_norm_rows& of) try {
  if (of.rows == 0 || (of.n == 0 && of.inverse == nullptr)) return device_of(on), status();
  const device_guard here(device_of_all(on, {of.x, of.y, of.weight, of.inverse}));
  check(cudaError_t(launch_rms_norm(rms_norm_launch_of(of), on.stream)), "launching a kernel");
  return {};
} catch (const error& failed) {
  return failed.why();
}

}  // namespace onefold::cuda
