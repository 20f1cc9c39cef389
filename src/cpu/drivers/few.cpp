// SPDX-License-Identifier: Apache-2.0
// The fast path of small whole arrays.
#include "cpu/drivers/few.hpp"

#include <cstring>

#include "cpu/kernels/batched/batched.hpp"
#include "cpu/kernels/targets.hpp"
#include "cpu/tasks/spans.hpp"
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

// Up to 64 floats or doubles, whose answer is rounded from a few doubles.
bool reduce_span(const batched_request& request, const void* x, const void* y, std::int64_t n,
                 void* output) {
  if (request.accuracy != accuracy::exact || request.output != request.input) return false;
  const auto write = [&]<class T>(T answer) {  // which the output may not be aligned for
    if (!cpu::reduce_span(request.op, static_cast<const T*>(x), static_cast<const T*>(y), n,
                          &answer))
      return false;
    std::memcpy(output, &answer, sizeof answer);
    return true;
  };
  if (request.input == dtype::f32) return write(float());
  return request.input == dtype::f64 && write(double());
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

bool reduce_few(op op, std::span<const array_view> views, const output_view& output,
                const options& options) {
  if (views.size() != std::size_t(inputs_of(op)) || !output.axes().empty()) return false;
  const array_view& x = views.front();
  const array_view& y = views.back();
  if (!is_run(x) || !is_run(y) || x.type() != y.type()) return false;
  const std::int64_t n = x.axes()[0].extent;
  if (y.axes()[0].extent != n) return false;
  if (n < 1 || n > few_items || !options.axes.all() || options.keepdims || options.where ||
      !plain(options))
    return false;
  const batched_request request = {batched_shape::rows, op, options.accuracy, x.type(),
                                   output.type()};
  const void* const second = views.size() == 2 ? y.data() : nullptr;
  return reduce_span(request, x.data(), second, n, output.data()) ||
         reduce_row(request, x.data(), second, n, output.data());
}

bool reduce_few(op op, const array_view& x, const array_view& y, void* output) {
  if (!is_run(x) || !is_run(y) || x.type() != y.type()) return false;
  const std::int64_t n = x.axes()[0].extent;
  const batched_request request = {batched_shape::rows, op, accuracy::exact, x.type(), x.type()};
  return y.axes()[0].extent == n && reduce_span(request, x.data(), y.data(), n, output);
}

}  // namespace onefold::cpu
