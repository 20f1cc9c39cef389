// SPDX-License-Identifier: Apache-2.0
// What rms_norm_backward and layer_norm_backward do alike once their arguments are checked.
#pragma once

#include "api/choose.hpp"
#include "cpu/engine.hpp"
#include "cuda/kernels/normalize/normalize.hpp"
#include "onefold/array_view.hpp"
#include "request/rms_norm_rows.hpp"

namespace onefold {

/// The gradients of rows that are not centred; vectors: the type of the weight and its like.
template <class Options>
norm_gradients gradients_of(const array_view& x, const array_view& g, void* dx,
                            const Options& options, dtype vectors) {
  const auto item = std::int64_t(size_bytes(x.type()));
  norm_gradients request = {};
  request.x = x.data(), request.g = g.data(), request.dx = dx;
  request.weight = options.weight ? options.weight->data() : nullptr;
  request.inverse = options.inverse, request.dweight = options.dweight;
  request.rows = x.axes()[0].extent, request.n = x.axes()[1].extent;
  request.stride = x.axes()[0].stride_bytes / item;
  request.g_stride = g.axes()[0].stride_bytes / item;
  request.eps = options.eps;
  request.type = x.type(), request.float_weight = vectors != x.type();
  return request;
}

/// By the engine that the executor and the arrays' memory choose: on_the_cpu(threads), or CUDA's.
template <class OnTheCpu>
status run_gradients(const executor& requested, const norm_gradients& request,
                     const OnTheCpu& on_the_cpu) {
  const executor where =
      beside(requested, {request.x, request.g, request.dx, request.weight, request.mean,
                         request.inverse, request.dweight, request.dbias});
  if (where.gpu() != nullptr) return cuda::norm_backward(*where.gpu(), request);
  const auto machine = cpu::this_machine(where.threads());
  if (!machine) return machine.why();
  return request.n == 0 ? status() : on_the_cpu(machine->threads);
}

}  // namespace onefold
