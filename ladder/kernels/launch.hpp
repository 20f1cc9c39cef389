// SPDX-License-Identifier: Apache-2.0
#pragma once
// One way to start a kernel, under the executor or on a GPU.

#include "simt/launch.hpp"

#include <type_traits>

namespace onefold::ladder {

struct launch_shape {
  simt::shape grid, block;
  std::size_t dynamic_shared_bytes = 0;
  unsigned cluster = 1;    ///< neighbouring blocks of a cluster; 1: no cluster
  bool dependent = false;  ///< may begin before the launch before it has ended
};

/// Where kernels run.
class engine {
 public:
  virtual ~engine() = default;

  /// Under the executor: runs the call once per lane.
  virtual void run(const launch_shape& shape, simt::kernel_call call) = 0;
  /// On a GPU: the cudaStream_t to launch into.
  virtual void* stream() const { return nullptr; }
};

#if defined(__CUDACC__)
/// A launch of clusters, or one that depends on the launch before it, on a device that has these;
/// on others every block is a cluster, and every launch waits.
template <class... Parameters>
static void start_with_attribute(const launch_shape& shape, cudaLaunchConfig_t config,
                                 void (*kernel)(Parameters...),
                                 std::type_identity_t<Parameters>... arguments) {
  int device = 0, has_clusters = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&has_clusters, cudaDevAttrClusterLaunch, device);
  cudaLaunchAttribute attribute{};
  if (shape.dependent) {
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
  } else {
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim = {shape.cluster, 1, 1};
  }
  config.attrs = &attribute;
  config.numAttrs = has_clusters != 0 ? 1 : 0;
  cudaLaunchKernelEx(&config, kernel, arguments...);
}
#endif

/// Launches kernel(arguments...). Under the executor it has run when this returns; on a GPU the
/// launch is asynchronous and its errors are the stream's.
/// It and all that calls it is compiled once for each engine: static, or the linker keeps one.
template <class... Parameters>
static void start(engine& where, const launch_shape& shape, void (*kernel)(Parameters...),
                  std::type_identity_t<Parameters>... arguments) {
#if defined(__CUDACC__)
  const dim3 grid(shape.grid.x, shape.grid.y, shape.grid.z);
  const dim3 block(shape.block.x, shape.block.y, shape.block.z);
  const auto stream = static_cast<cudaStream_t>(where.stream());
  if (shape.cluster != 1 || shape.dependent) {
    cudaLaunchConfig_t config{};
    config.gridDim = grid, config.blockDim = block, config.stream = stream;
    config.dynamicSmemBytes = shape.dynamic_shared_bytes;
    return start_with_attribute(shape, config, kernel, arguments...);
  }
  kernel<<<grid, block, shape.dynamic_shared_bytes, stream>>>(arguments...);
#else
  auto call = [=] { kernel(arguments...); };
  where.run(shape, {&call, sizeof call,
                    [](void* closure) { (*static_cast<decltype(call)*>(closure))(); }});
#endif
}

}  // namespace onefold::ladder
