// SPDX-License-Identifier: Apache-2.0
#include "cuda/normalize/row_device.hpp"

#include <string>

#include "cuda/device.hpp"
#include "cuda/engine.hpp"

namespace onefold::cuda {

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

}  // namespace onefold::cuda
