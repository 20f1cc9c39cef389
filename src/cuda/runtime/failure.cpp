// SPDX-License-Identifier: Apache-2.0
// Converts CUDA return codes to statuses with a remedy in the message.
#include "cuda/runtime/failure.hpp"

namespace onefold::cuda {
namespace {

status_code code_of(cudaError_t code) {
  switch (code) {
  case cudaErrorMemoryAllocation:
    return status_code::out_of_memory;
  case cudaErrorNoDevice:
  case cudaErrorInvalidDevice:
  case cudaErrorInsufficientDriver:
  case cudaErrorNoKernelImageForDevice:
  case cudaErrorUnsupportedPtxVersion:
  case cudaErrorSystemDriverMismatch:
  case cudaErrorCompatNotSupportedOnDevice:
  case cudaErrorStreamCaptureUnsupported:
  case cudaErrorStreamCaptureImplicit:
    return status_code::unsupported;
  default:
    return status_code::device_error;
  }
}

const char* remedy_for(cudaError_t code) {
  switch (code) {
  case cudaErrorMemoryAllocation:
    return "free some device or pinned memory, or use the CPU";
  case cudaErrorInsufficientDriver:
  case cudaErrorUnsupportedPtxVersion:
  case cudaErrorSystemDriverMismatch:
    return "install a newer NVIDIA driver, or use the CPU";
  case cudaErrorNoKernelImageForDevice:
    return "configure with CMAKE_CUDA_ARCHITECTURES for this device, or use the CPU";
  case cudaErrorNoDevice:
  case cudaErrorInvalidDevice:
    return "onefold doctor lists the devices; the CPU needs none (executor::cpu, --device cpu)";
  case cudaErrorCompatNotSupportedOnDevice:
    return "install a driver that this device supports, or use the CPU";
  case cudaErrorInvalidResourceHandle:
  case cudaErrorContextIsDestroyed:
    return "give a stream of this device that has not been destroyed, or none";
  case cudaErrorStreamCaptureUnsupported:
  case cudaErrorStreamCaptureImplicit:
    return "the call waits for its answer, which a stream under capture cannot; end the capture "
           "first, or give another stream";
  case cudaErrorIllegalAddress:
  case cudaErrorMisalignedAddress:
    return "check that the view's memory is device memory of this length; this process must start "
           "again before it can use the device";
  case cudaErrorLaunchFailure:
  case cudaErrorLaunchTimeout:
  case cudaErrorAssert:
  case cudaErrorIllegalInstruction:
    return "a kernel on this device failed, of this library or one before it; this process must "
           "start again before it can use the device, or use the CPU";
  case cudaErrorLaunchOutOfResources:
    return "the device has too little left for a kernel's registers and stack; end other work on "
           "it, or use the CPU";
  case cudaErrorECCUncorrectable:
  case cudaErrorHardwareStackError:
    return "the device's memory failed; look at nvidia-smi, or use the CPU";
  case cudaErrorDevicesUnavailable:
    return "another process has the device to itself; end it, or use the CPU";
  default:
    return "see the driver's log, or use the CPU";
  }
}

}  // namespace

status status_of(cudaError_t code, const std::string& call) {
  return {code_of(code), call + ": " + cudaGetErrorString(code) + "; " + remedy_for(code)};
}

void check(cudaError_t code, const char* call) {
  if (code == cudaSuccess) return;
  cudaGetLastError();
  throw error(status_of(code, call));
}

}  // namespace onefold::cuda
