// SPDX-License-Identifier: Apache-2.0
// Finds the memory of a request's views and copies host views to the device.
#include "cuda/plan/operands.hpp"

#include <algorithm>
#include <string>

#include "cuda/runtime/devices.hpp"
#include "request/layout.hpp"

namespace onefold::cuda {
namespace {

using stride_member = std::int64_t loop_axis::*;

// The bytes that a view spans, from the lowest to the highest.
struct span_of_bytes {
  const std::byte* origin = nullptr;  // the first element; null: no such view
  std::int64_t below = 0, size = 0;

  const std::byte* lowest() const { return origin - below; }
  // A copy has the same address modulo 16 as its source, so aligned elements stay aligned.
  std::size_t shift() const { return reinterpret_cast<std::uintptr_t>(lowest()) % 16; }
  std::size_t copy_bytes() const {
    return origin == nullptr ? 0 : (shift() + std::size_t(size) + 255) / 256 * 256;
  }
};

span_of_bytes span_of(const plan& plan, const void* origin, stride_member stride,
                      std::size_t item_bytes) {
  span_of_bytes made = {static_cast<const std::byte*>(origin), 0, std::int64_t(item_bytes)};
  for (const loop_nest* nest : {&plan.kept, &plan.reduced})
    for (const loop_axis& axis : *nest) {
      const std::int64_t reach = axis.*stride * (axis.extent - 1);
      made.size += std::abs(reach);
      if (reach < 0) made.below -= reach;
    }
  return made;
}

constexpr const char* reduce_in_parts =
    "reduce them in parts; the CPU needs none (executor::cpu, --device cpu)";

void check_free_memory(std::size_t bytes) {
  std::size_t free = 0, all = 0;
  check(cudaMemGetInfo(&free, &all), "cudaMemGetInfo");
  if (bytes > free)
    throw error({status_code::out_of_memory,
                 "the views span " + std::to_string(bytes >> 20) + " MiB, and " +
                     std::to_string(free >> 20) +
                     " MiB of device memory are free; reduce them in parts" + use_the_cpu});
}

}  // namespace

where place_of(const executor::cuda& on, const request& request) {
  const int wanted = device_of(on);
  if (request.plan.items == 0) return {wanted, memory::pageable};
  const memory_facts x = memory_of(request.x);
  memory kind = x.kind;
  for (const void* other : {request.y, request.mask}) {
    if (other == nullptr) continue;
    const memory_facts found = memory_of(other);
    if ((x.kind == memory::device) != (found.kind == memory::device))
      throw error({status_code::mismatch,
                   "one view is in device memory and the other is not; copy one of them"});
    if (x.device != found.device)
      throw error({status_code::mismatch, "the views are in the memory of two devices; copy one"});
    kind = std::min(kind, found.kind);
  }
  if (kind != memory::device) return {wanted, kind};
  if (on.device >= 0 && on.device != x.device)
    throw error({status_code::mismatch, "the data are in the memory of device " +
                                            std::to_string(x.device) +
                                            "; copy them, or ask for that device"});
  return {x.device, memory::device};
}

bool are_dense_elements(const request& request) {
  const element_runs found = runs_of(request.plan, request.x, request.plan.input, nullptr, {});
  return found.contiguous_items && found.aligned;
}

device_operands::device_operands(const request& request, memory kind, const memory_source& from)
    : x(static_cast<const std::byte*>(request.x)), y(static_cast<const std::byte*>(request.y)),
      mask(static_cast<const std::byte*>(request.mask)), stream_(from.stream) {
  if (kind == memory::device) return;
  try {
    copy_from_host(request, from);
  } catch (...) {
    cudaStreamSynchronize(stream_);  // a copy may be in progress
    throw;
  }
}

void device_operands::copy_from_host(const request& request, const memory_source& from) {
  const auto& plan = request.plan;
  const span_of_bytes spans[] = {
      span_of(plan, request.x, &loop_axis::x_bytes, size_bytes(request.x_type)),
      span_of(plan, request.y, &loop_axis::y_bytes, size_bytes(request.y_type)),
      span_of(plan, request.mask, &loop_axis::mask_bytes, 1)};
  std::size_t bytes = 0;
  for (const span_of_bytes& each : spans) bytes += each.copy_bytes();
  if (from.resource == nullptr) check_free_memory(bytes);
  copies_ = device_block(from, bytes, "device memory for the views", reduce_in_parts);
  std::byte* to = copies_.data();
  for (int i = 0; i < 3; ++i) {
    const span_of_bytes& each = spans[i];
    if (each.origin == nullptr) continue;
    std::byte* const copy = to + each.shift();
    check(cudaMemcpyAsync(copy, each.lowest(), std::size_t(each.size), cudaMemcpyHostToDevice,
                          stream_),
          "copying a view to the device");
    (i == 0 ? x : i == 1 ? y : mask) = copy + each.below;
    to += each.copy_bytes();
  }
}

device_operands::~device_operands() {
  if (copies_.data() != nullptr) cudaStreamSynchronize(stream_);
}

}  // namespace onefold::cuda
