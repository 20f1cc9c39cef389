// SPDX-License-Identifier: Apache-2.0
// What a program under `try --main` learns when it asks for the device: the one that the executor
// models, whose shape is an H200's, and the texts of errors.
#include "ladder/try/main/runtime_calls.hpp"
#include "simt/arena.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>

namespace onefold::ladder::learner {
namespace {

constexpr int multiprocessors = 132, lanes_a_multiprocessor = 2048, blocks_a_multiprocessor = 32;
constexpr int registers = 65536, clock_khz = 1'980'000, memory_khz = 3'201'000, bus_bits = 6144;
constexpr int l2_bytes = 60 << 20, shared_bytes = 48 << 10, multiprocessor_shared_bytes = 228 << 10;
constexpr int constant_bytes = 64 << 10, major_version = 9, max_grid_x = 0x7FFFFFFF;
constexpr int max_grid_y = 65535, max_block_z = 64;
constexpr std::string_view name = "onefold's executor (a CPU that counts)";

struct error_row {
  cudaError_t error;
  const char *name, *text;
};

constexpr error_row errors[] = {
    {cudaSuccess, "cudaSuccess", "no error"},
    {cudaErrorInvalidValue, "cudaErrorInvalidValue", "invalid argument"},
    {cudaErrorMemoryAllocation, "cudaErrorMemoryAllocation", "out of memory"},
    {cudaErrorInvalidConfiguration, "cudaErrorInvalidConfiguration",
     "invalid configuration argument"},
    {cudaErrorInvalidMemcpyDirection, "cudaErrorInvalidMemcpyDirection",
     "invalid copy direction for memcpy"},
    {cudaErrorInvalidDevice, "cudaErrorInvalidDevice", "invalid device ordinal"},
    {cudaErrorInvalidResourceHandle, "cudaErrorInvalidResourceHandle", "invalid resource handle"},
    {cudaErrorNotReady, "cudaErrorNotReady", "device not ready"},
    {cudaErrorIllegalAddress, "cudaErrorIllegalAddress",
     "an illegal memory access was encountered"},
    {cudaErrorLaunchFailure, "cudaErrorLaunchFailure", "unspecified launch failure"},
};

const error_row* row_of(cudaError_t error) {
  return std::find_if(std::begin(errors), std::end(errors),
                      [error](const error_row& row) { return row.error == error; });
}

}  // namespace

const char* error_name(cudaError_t error) noexcept {
  const error_row* const row = row_of(error);
  return row == std::end(errors) ? "unrecognized error code" : row->name;
}

const char* error_text(cudaError_t error) noexcept {
  const error_row* const row = row_of(error);
  return row == std::end(errors) ? "unrecognized error code" : row->text;
}

cudaError_t device_properties(cudaDeviceProp* properties, int device) noexcept {
  if (device != 0) return cudaErrorInvalidDevice;
  cudaDeviceProp& p = *properties = {};
  std::copy(name.begin(), name.end(), p.name);
  p.totalGlobalMem = simt::arena::capacity_bytes;
  p.sharedMemPerBlock = shared_bytes;
  p.sharedMemPerBlockOptin = simt::max_dynamic_shared_bytes;
  p.sharedMemPerMultiprocessor = multiprocessor_shared_bytes;
  p.totalConstMem = constant_bytes;
  p.major = major_version;
  p.multiProcessorCount = multiprocessors;
  p.warpSize = simt::max_warp_lanes;
  p.regsPerBlock = p.regsPerMultiprocessor = registers;
  p.maxThreadsPerBlock = simt::max_block_threads;
  p.maxThreadsPerMultiProcessor = lanes_a_multiprocessor;
  p.maxBlocksPerMultiProcessor = blocks_a_multiprocessor;
  p.maxThreadsDim[0] = p.maxThreadsDim[1] = simt::max_block_threads;
  p.maxThreadsDim[2] = max_block_z;
  p.maxGridSize[0] = max_grid_x;
  p.maxGridSize[1] = p.maxGridSize[2] = max_grid_y;
  p.clockRate = clock_khz;
  p.memoryClockRate = memory_khz;
  p.memoryBusWidth = bus_bits;
  p.l2CacheSize = l2_bytes;
  p.concurrentKernels = p.asyncEngineCount = p.unifiedAddressing = 1;
  p.managedMemory = p.concurrentManagedAccess = p.cooperativeLaunch = 1;
  return cudaSuccess;
}

cudaError_t device_attribute(int* value, cudaDeviceAttr attribute, int device) noexcept {
  cudaDeviceProp p;
  if (device_properties(&p, device) != cudaSuccess) return cudaErrorInvalidDevice;
  switch (attribute) {
  case cudaDevAttrMaxThreadsPerBlock:
    *value = p.maxThreadsPerBlock;
    return cudaSuccess;
  case cudaDevAttrMaxSharedMemoryPerBlock:
    *value = shared_bytes;
    return cudaSuccess;
  case cudaDevAttrMaxSharedMemoryPerBlockOptin:
    *value = simt::max_dynamic_shared_bytes;
    return cudaSuccess;
  case cudaDevAttrWarpSize:
    *value = p.warpSize;
    return cudaSuccess;
  case cudaDevAttrClockRate:
    *value = p.clockRate;
    return cudaSuccess;
  case cudaDevAttrMultiProcessorCount:
    *value = p.multiProcessorCount;
    return cudaSuccess;
  case cudaDevAttrMemoryClockRate:
    *value = p.memoryClockRate;
    return cudaSuccess;
  case cudaDevAttrGlobalMemoryBusWidth:
    *value = p.memoryBusWidth;
    return cudaSuccess;
  case cudaDevAttrL2CacheSize:
    *value = p.l2CacheSize;
    return cudaSuccess;
  case cudaDevAttrMaxThreadsPerMultiProcessor:
    *value = p.maxThreadsPerMultiProcessor;
    return cudaSuccess;
  case cudaDevAttrComputeCapabilityMajor:
    *value = p.major;
    return cudaSuccess;
  case cudaDevAttrComputeCapabilityMinor:
    *value = p.minor;
    return cudaSuccess;
  case cudaDevAttrConcurrentManagedAccess:
    *value = 1;
    return cudaSuccess;
  }
  return cudaErrorInvalidValue;
}

}  // namespace onefold::ladder::learner
