// SPDX-License-Identifier: Apache-2.0
// Which requests the batched kernels support.
#include "cpu/kernels/batched/batched.hpp"

namespace onefold::cpu {

bool batched_serves(const batched_request& request) noexcept {
  const bool product = request.op == op::sumsq || request.op == op::norm2 || request.op == op::dot;
  if (request.op != op::sum && request.op != op::mean && request.op != op::norm1 && !product)
    return false;
  const dtype out = request.output;
  if (is_floating(request.input)) {
    const bool root_of_pair = request.op == op::norm2 && out == dtype::f64;
    return is_floating(out) && !(root_of_pair && request.accuracy == accuracy::exact);
  }
  const bool quotient = request.op == op::mean || request.op == op::norm2;
  if (product && size_bytes(request.input) == 8) return false;
  if (out == dtype::i64 || out == dtype::u64) return !quotient;
  return out == dtype::f64 || out == dtype::f32;
}

}  // namespace onefold::cpu
