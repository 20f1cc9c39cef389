// SPDX-License-Identifier: Apache-2.0
#include "cuda/kernels/transpose/transpose.hpp"

#include <string>

#include "cuda/runtime/device.hpp"
#include "cuda/runtime/devices.hpp"

namespace onefold::cuda {
namespace {

// The device whose memory holds both matrices.
int device_of_both(const executor::cuda& on, const matrix_copy& copy) {
  device_of(on);
  const memory_facts from = memory_of(copy.from), to = memory_of(copy.to);
  if (from.kind != memory::device && to.kind != memory::device)
    throw error(
        {status_code::unsupported,
         std::string("the CUDA engine transposes matrices in device memory alone, and these "
                     "are in host memory") +
             use_the_cpu});
  if (from.kind != memory::device || to.kind != memory::device)
    throw error({status_code::mismatch,
                 "one matrix is in device memory and the other is not; copy one of them"});
  if (from.device != to.device || (on.device >= 0 && on.device != from.device))
    throw error({status_code::mismatch,
                 "the matrices are in the memory of devices " + std::to_string(from.device) +
                     " and " + std::to_string(to.device) + "; copy them, or ask for that device"});
  return from.device;
}

}  // namespace

status transpose(const executor::cuda& on, const matrix_copy& copy) try {
  if (copy.rows == 0 || copy.columns == 0) return device_of(on), status();
  const device_guard here(device_of_both(on, copy));
  auto* const stream = static_cast<cudaStream_t>(on.stream);
  check(cudaError_t(launch_transpose(transpose_launch_of(copy), stream)), "launching a transpose");
  check(cudaStreamSynchronize(stream), "transposing on the device");
  return {};
} catch (const error& failed) {
  return failed.why();
}

}  // namespace onefold::cuda
