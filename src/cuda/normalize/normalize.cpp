// SPDX-License-Identifier: Apache-2.0
// Normalized rows on a device.
#include <initializer_list>
#include <string>

#include "cuda/device.hpp"
#include "cuda/engine.hpp"
#include "cuda/normalize/normalize.hpp"

namespace onefold::cuda {
namespace {

// The device whose memory holds all arrays; null addresses are none. Throws error: unsupported (no
// device, host memory), mismatch (memory of several devices, or not of the executor's).
int device_of_all(const executor::cuda& on, std::initializer_list<const void*> addresses) {
  device_of(on);
  int device = -1;
  for (const void* const address : addresses) {
    if (address == nullptr) continue;
    const memory_facts found = memory_of(address);
    if (found.kind != memory::device)
      throw error({status_code::unsupported,
                   std::string("the CUDA engine normalizes rows in device memory alone, and an "
                               "array is in host memory") +
                       use_the_cpu});
    if (device >= 0 && found.device != device)
      throw error({status_code::mismatch, "the arrays are in the memory of devices " +
                                              std::to_string(device) + " and " +
                                              std::to_string(found.device) + "; copy one of them"});
    device = found.device;
  }
  if (on.device >= 0 && device != on.device)
    throw error({status_code::mismatch, "the arrays are in the memory of device " +
                                            std::to_string(device) + ", and the executor's is " +
                                            std::to_string(on.device)});
  return device;
}

}  // namespace

status rms_norm(const executor::cuda& on, const rms_norm_rows& of) try {
  if (of.rows == 0 || (of.n == 0 && of.inverse == nullptr)) return device_of(on), status();
  const device_guard here(device_of_all(on, {of.x, of.y, of.weight, of.inverse}));
  check_launch(launch_rms_norm(rms_norm_launch_of(of), on.stream));
  return {};
} catch (const error& failed) {
  return failed.why();
}

status softmax(const executor::cuda& on, const softmax_rows& of) try {
  if (of.rows == 0 || of.n == 0) return device_of(on), status();
  const device_guard here(device_of_all(on, {of.x, of.y}));
  check_launch(launch_softmax(softmax_launch_of(of), on.stream));
  return {};
} catch (const error& failed) {
  return failed.why();
}

}  // namespace onefold::cuda
