// SPDX-License-Identifier: Apache-2.0
// The fast path of small whole arrays.
#include "cpu/drivers/few.hpp"

#include <cstring>

#include "cpu/kernels/batched/batched.hpp"
#include "cpu/kernels/targets.hpp"
#include "runtime/float_environment.hpp"

namespace onefold::cpu {
namespace {

// Up to this many elements, a state and its tasks cost as much as reading the elements.
constexpr std::int64_t few_items = 4096;

// Whether the answer depends on the elements alone, and no callback needs a report.
bool plain(const options& options) {
  return options.nan_policy == nan_policy::propagate && !options.initial && !options.progress &&
         options.correction == 0 && options.min_count == 0 && !options.empty_value &&
         !options.stop.stop_requested();
}

// A block of one row. Precondition: aligned and contiguous.
bool reduce_row(const batched_request& request, const void* x, const void* y, std::int64_t n,
                void* output) {
  if (!batched_serves(request)) return false;
  const float_environment sound;
  alignas(8) std::byte value[8];
  unsigned char ambiguous = 0;
  batched_block block;
  block.request = request;
  block.x = static_cast<const std::byte*>(x);
  block.y = static_cast<const std::byte*>(y);
  block.outputs = 1;
  block.n = n;
  block.out = value;
  block.ambiguous = &ambiguous;
  if (active_table().batched(block) != 0) return false;
  std::memcpy(output, value, size_bytes(request.output));
  return true;
}

bool is_run(const array_view& x) {
  const auto item_bytes = std::int64_t(size_bytes(x.type()));
  return x.rank() == 1 && x.axes()[0].stride_bytes == item_bytes &&
         reinterpret_cast<std::uintptr_t>(x.data()) % std::uintptr_t(item_bytes) == 0;
}

}  // namespace

bool reduce_few(const reduction& reduction, const output_view& output) {
  const auto& plan = reduction.plan;
  // Elements that are read in place have no mask and no map, and are neither converted nor
  // gathered.
  if (plan.outputs != 1 || plan.items > few_items || plan.reading != path::in_place ||
      plan.ops.size() != 1 || !plain(reduction.options))
    return false;
  const batched_request request = {batched_shape::rows, plan.ops[0], plan.accuracy, plan.input,
                                   output.type()};
  return reduce_row(request, reduction.x, reduction.y, plan.items, output.data());
}

bool reduce_few(op op, const array_view& x, const output_view& output, const options& options) {
  if (!is_run(x) || inputs_of(op) != 1 || !output.axes().empty()) return false;
  const std::int64_t n = x.axes()[0].extent;
  if (n < 1 || n > few_items || !options.axes.all() || options.keepdims || options.where ||
      !plain(options))
    return false;
  const batched_request request = {batched_shape::rows, op, options.accuracy, x.type(),
                                   output.type()};
  return reduce_row(request, x.data(), nullptr, n, output.data());
}

}  // namespace onefold::cpu
