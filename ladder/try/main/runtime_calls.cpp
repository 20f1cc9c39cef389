// SPDX-License-Identifier: Apache-2.0
// The host API of a program under `try --main`: every call of runtime_calls.hpp, for the one
// program that runs in this process. Work is done at once; waiting for it only says that the host
// may look.
#include "ladder/try/main/runtime_calls.hpp"

#include "ladder/try/main/running_program.hpp"

#include <fmt/format.h>

namespace onefold::ladder::learner {
namespace {

using clock = std::chrono::steady_clock;

running_program& program() {
  return *running_program::current();
}

struct recorded_event {
  std::optional<clock::time_point> at;
};

recorded_event* known(cudaEvent_t event) {
  return program().events.contains(event) ? reinterpret_cast<recorded_event*>(event) : nullptr;
}

/// A range of device memory inside what an allocation has left of it, or a finding.
bool is_inside(const transfer_call& call, const char* does, const void* at, std::size_t bytes) {
  running_program& p = program();
  const allocation* const allocation = p.memory.find(at);
  const std::size_t offset = p.memory.offset_of(at);
  const auto report = [&](const std::string& extent) {
    p.found("bounds", p.line_of(call.pc), fmt::format("{} {} {}", call.name, does, extent));
    return false;
  };
  if (allocation == nullptr) return report("device memory of no allocation");
  if (!allocation->live) return report(fmt::format("'{}', which has been freed", allocation->name));
  if (offset + bytes <= allocation->end()) return true;
  return report(fmt::format("{} bytes of '{}', {} over its end ({} bytes)", bytes, allocation->name,
                            offset + bytes - allocation->end(), allocation->bytes));
}

bool is_device(const void* at) {
  if (!program().memory.holds(at)) return false;
  const allocation* const allocation = program().memory.find(at);
  return allocation == nullptr || allocation->kind == memory_kind::device;
}

/// Where both sides can reach it, a copy may call it either.
bool may_be_device(const void* at) {
  return program().memory.holds(at);
}

constexpr const char* direction_names[] = {"cudaMemcpyHostToHost", "cudaMemcpyHostToDevice",
                                           "cudaMemcpyDeviceToHost", "cudaMemcpyDeviceToDevice"};

int direction_of(bool from_device, bool to_device) {
  if (from_device) return to_device ? cudaMemcpyDeviceToDevice : cudaMemcpyDeviceToHost;
  return to_device ? cudaMemcpyHostToDevice : cudaMemcpyHostToHost;
}

/// Whether a copy can go on; a missing direction is found, and the right one taken.
bool is_right_direction(const transfer_call& call, const void* to, const void* from,
                        int direction) {
  if (direction == cudaMemcpyDefault) return true;
  const int meant = direction_of(is_device(from), is_device(to));
  if (direction == no_direction) {
    program().found("copy direction", program().line_of(call.pc),
                    fmt::format("{} names no direction, and nvcc refuses it; {} is meant",
                                call.name, direction_names[meant]));
    return true;
  }
  const auto agrees = [](bool says_device, const void* at) {
    return says_device ? may_be_device(at) : !is_device(at);
  };
  const bool from_device =
      direction == cudaMemcpyDeviceToHost || direction == cudaMemcpyDeviceToDevice;
  const bool to_device =
      direction == cudaMemcpyHostToDevice || direction == cudaMemcpyDeviceToDevice;
  if (agrees(from_device, from) && agrees(to_device, to)) return true;
  program().found("copy direction", program().line_of(call.pc),
                  fmt::format("{} says {}, but copies from {} to {} memory: {} is meant", call.name,
                              direction_names[direction], is_device(from) ? "device" : "host",
                              is_device(to) ? "device" : "host", direction_names[meant]));
  return false;
}

void check_written(const transfer_call& call, const void* from, std::size_t bytes) {
  running_program& p = program();
  const std::size_t missing = p.memory.unwritten(from, bytes);
  if (missing == 0) return;
  p.found("uninitialised", p.line_of(call.pc),
          fmt::format("{} reads {} bytes of '{}', {} of which nothing has written", call.name,
                      bytes, p.memory.find(from)->name, missing));
}

void copy_bytes(const transfer_call& call, void* to, const void* from, std::size_t bytes) {
  const program_memory& memory = program().memory;
  const bool from_device = memory.holds(from), to_device = memory.holds(to);
  if (from_device && !to_device) check_written(call, from, bytes);
  std::memmove(to, from, bytes);
  if (from_device && to_device) memory.copy_written(to, from, bytes);
  if (!from_device && to_device) memory.mark_written(to, bytes);
}

bool is_null(const transfer_call& call, const void* to, const void* from) {
  if (to != nullptr && from != nullptr) return false;
  program().found("bounds", program().line_of(call.pc),
                  fmt::format("{}: the {} is a null pointer", call.name,
                              to == nullptr ? "destination" : "source"));
  return true;
}

/// Pinned memory that a copy in a stream uses as a whole; a part leaves the host the others.
void note_asynchronous(const transfer_call& call, const void* at, std::size_t bytes, bool writes) {
  running_program& p = program();
  if (call.waits || !p.memory.holds(at)) return;
  allocation* const allocation = p.memory.find(at);
  if (allocation->kind != memory_kind::pinned || allocation->bytes != bytes) return;
  p.started_copy(*allocation, writes, p.line_of(call.pc));
}

/// A copy or a fill waits for the launches before it, or may follow them in its stream.
void follow_launches(const transfer_call& call) {
  if (call.waits) program().waited();
}

}  // namespace

cudaError_t allocate(const void* pc, void** at, std::size_t bytes, memory_kind kind) noexcept {
  running_program& p = program();
  if (p.lost() != cudaSuccess) return p.lost();
  const device_access access(p);
  const simt::location place = p.line_of(pc);
  if (bytes == 0) {
    *at = nullptr;
    return cudaSuccess;
  }
  *at = p.memory.allocate(bytes, kind, p.buffer_name(place), place);
  return *at != nullptr ? cudaSuccess : p.fail(cudaErrorMemoryAllocation);
}

cudaError_t release(const void* pc, void* at, bool pinned) noexcept {
  running_program& p = program();
  if (at == nullptr) return cudaSuccess;
  const device_access access(p);
  p.waited();
  const char* const call = pinned ? "cudaFreeHost" : "cudaFree";
  allocation* const allocation = p.memory.holds(at) ? p.memory.find(at) : nullptr;
  std::string wrong;
  if (allocation == nullptr || allocation->offset != p.memory.offset_of(at)) {
    wrong = fmt::format("{} of a pointer that no allocation has given", call);
  } else if (!allocation->live) {
    wrong = fmt::format("{} of '{}', which line {} has freed", call, allocation->name,
                        allocation->freed.line);
  } else if (pinned != (allocation->kind == memory_kind::pinned)) {
    wrong = fmt::format("{} of '{}': call {}", call, allocation->name,
                        pinned ? "cudaFree" : "cudaFreeHost");
  }
  if (!wrong.empty()) {
    p.found("free", p.line_of(pc), wrong);
    return p.fail(cudaErrorInvalidValue);
  }
  p.memory.release(*allocation, p.line_of(pc));
  return cudaSuccess;
}

cudaError_t transfer(const transfer_call& call, void* to, const void* from, std::size_t bytes,
                     int direction) noexcept {
  running_program& p = program();
  follow_launches(call);
  if (p.lost() != cudaSuccess) return p.lost();
  if (bytes == 0) return cudaSuccess;
  const device_access access(p);
  const bool good = !is_null(call, to, from) && is_right_direction(call, to, from, direction) &&
                    (!p.memory.holds(to) || is_inside(call, "writes", to, bytes)) &&
                    (!p.memory.holds(from) || is_inside(call, "reads", from, bytes));
  if (!good) return p.fail(cudaErrorInvalidValue);
  copy_bytes(call, to, from, bytes);
  note_asynchronous(call, to, bytes, true);
  note_asynchronous(call, from, bytes, false);
  return cudaSuccess;
}

cudaError_t fill(const transfer_call& call, void* at, int value, std::size_t bytes) noexcept {
  running_program& p = program();
  if (p.lost() != cudaSuccess) return p.lost();
  const device_access access(p);
  if (!p.memory.holds(at)) {
    p.found("host access", p.line_of(call.pc),
            fmt::format("{} of memory of the host; call memset", call.name));
    return p.fail(cudaErrorInvalidValue);
  }
  if (!is_inside(call, "writes", at, bytes)) return p.fail(cudaErrorInvalidValue);
  std::memset(at, value, bytes);
  p.memory.mark_written(at, bytes);
  return cudaSuccess;
}

namespace {

bool fits_symbol(const transfer_call& call, std::size_t symbol_bytes, std::size_t bytes,
                 std::size_t offset) {
  if (offset + bytes <= symbol_bytes) return true;
  program().found("bounds", program().line_of(call.pc),
                  fmt::format("{} of {} bytes at offset {}; the variable has {}", call.name, bytes,
                              offset, symbol_bytes));
  return false;
}

}  // namespace

cudaError_t to_symbol(const transfer_call& call, void* symbol, std::size_t symbol_bytes,
                      const void* from, std::size_t bytes, std::size_t offset) noexcept {
  running_program& p = program();
  follow_launches(call);
  if (p.lost() != cudaSuccess) return p.lost();
  const device_access access(p);
  if (!fits_symbol(call, symbol_bytes, bytes, offset)) return p.fail(cudaErrorInvalidValue);
  std::memcpy(static_cast<std::byte*>(symbol) + offset, from, bytes);
  return cudaSuccess;
}

cudaError_t from_symbol(const transfer_call& call, void* to, const void* symbol,
                        std::size_t symbol_bytes, std::size_t bytes, std::size_t offset) noexcept {
  running_program& p = program();
  follow_launches(call);
  if (p.lost() != cudaSuccess) return p.lost();
  const device_access access(p);
  if (!fits_symbol(call, symbol_bytes, bytes, offset)) return p.fail(cudaErrorInvalidValue);
  std::memcpy(to, static_cast<const std::byte*>(symbol) + offset, bytes);
  return cudaSuccess;
}

cudaError_t synchronize() noexcept {
  running_program& p = program();
  p.waited();
  p.memory.close();
  return p.lost();
}

cudaError_t reset_device() noexcept {
  running_program& p = program();
  const device_access access(p);
  p.waited();
  for (allocation& a : p.memory.all()) {
    if (a.live) p.memory.release(a, {});
  }
  return cudaSuccess;
}

cudaError_t last_error(bool forget) noexcept {
  return program().last_error(forget);
}

cudaError_t allow_dynamic_shared(std::size_t bytes) noexcept {
  running_program& p = program();
  if (bytes > simt::max_dynamic_shared_bytes) return p.fail(cudaErrorInvalidValue);
  p.dynamic_shared_limit = std::max(p.dynamic_shared_limit, bytes);
  return cudaSuccess;
}

cudaError_t free_memory(std::size_t* free_bytes, std::size_t* all_bytes) noexcept {
  *all_bytes = simt::arena::capacity_bytes;
  *free_bytes = *all_bytes - program().memory.live_bytes();
  return cudaSuccess;
}

void start(const launch_request& request, simt::kernel_call call) noexcept {
  program().launch(request, call);
}

cudaError_t make_event(cudaEvent_t* event) noexcept {
  *event = reinterpret_cast<cudaEvent_t>(new recorded_event);
  program().events.insert(*event);
  return cudaSuccess;
}

cudaError_t record_event(cudaEvent_t event) noexcept {
  recorded_event* const e = known(event);
  if (e == nullptr) return program().fail(cudaErrorInvalidResourceHandle);
  e->at = clock::now();
  return program().lost();
}

cudaError_t elapsed_ms(float* milliseconds, cudaEvent_t first, cudaEvent_t last) noexcept {
  const recorded_event *const a = known(first), *const b = known(last);
  if (a == nullptr || b == nullptr || !a->at || !b->at) {
    return program().fail(cudaErrorInvalidResourceHandle);
  }
  program().measures_time = true;
  *milliseconds = std::chrono::duration<float, std::milli>(*b->at - *a->at).count();
  return program().lost();
}

cudaError_t destroy_event(cudaEvent_t event) noexcept {
  recorded_event* const e = known(event);
  if (e == nullptr) return program().fail(cudaErrorInvalidResourceHandle);
  program().events.erase(event);
  delete e;
  return cudaSuccess;
}

cudaError_t make_stream(cudaStream_t* stream) noexcept {
  *stream = reinterpret_cast<cudaStream_t>(new char);
  program().streams.insert(*stream);
  return cudaSuccess;
}

cudaError_t destroy_stream(cudaStream_t stream) noexcept {
  if (program().streams.erase(stream) == 0) return program().fail(cudaErrorInvalidResourceHandle);
  delete reinterpret_cast<char*>(stream);
  return cudaSuccess;
}

}  // namespace onefold::ladder::learner
