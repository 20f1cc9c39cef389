// SPDX-License-Identifier: Apache-2.0
#pragma once
// One way to start a kernel, under the executor or on a GPU.

#include "simt/launch.hpp"

#include <type_traits>

namespace onefold::ladder {

struct launch_shape {
  simt::shape grid, block;
  std::size_t dynamic_shared_bytes = 0;
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

/// Launches kernel(arguments...). Under the executor it has run when this returns; on a GPU the
/// launch is asynchronous and its errors are the stream's.
/// It and all that calls it is compiled once for each engine: static, or the linker keeps one.
template <class... Parameters>
static void start(engine& where, const launch_shape& shape, void (*kernel)(Parameters...),
                  std::type_identity_t<Parameters>... arguments) {
#if defined(__CUDACC__)
  const dim3 grid(shape.grid.x, shape.grid.y, shape.grid.z);
  const dim3 block(shape.block.x, shape.block.y, shape.block.z);
  kernel<<<grid, block, shape.dynamic_shared_bytes, static_cast<cudaStream_t>(where.stream())>>>(
      arguments...);
#else
  auto call = [=] { kernel(arguments...); };
  where.run(shape, {&call, sizeof call,
                    [](void* closure) { (*static_cast<decltype(call)*>(closure))(); }});
#endif
}

}  // namespace onefold::ladder
