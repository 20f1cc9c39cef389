// SPDX-License-Identifier: Apache-2.0
#include "simt/callbacks.hpp"

#include "simt/executor.hpp"
#include "simt/simt.hpp"

#include <cstring>
#include <utility>

namespace onefold::simt {

executor* running_executor = nullptr;
const std::uintptr_t* expected_step = &path_end;

namespace {

template <class Tell>
inline void from_lane(Tell&& tell) {
  executor* const device = std::exchange(running_executor, nullptr);
  if (device == nullptr) return;
  tell(*device);
  running_executor = device;
}

std::uintptr_t number(const volatile void* pointer) {
  return reinterpret_cast<std::uintptr_t>(pointer);
}

inline void on_access(const void* address, std::size_t size_bytes, bool writes, const void* pc) {
  from_lane([=](executor& device) {
    device.on_access(number(address), static_cast<unsigned>(size_bytes), writes, number(pc));
  });
}

}  // namespace

void* dynamic_shared_memory() noexcept {
  return running_executor == nullptr ? nullptr : running_executor->dynamic_shared();
}

std::uint64_t warp_operation(const void* pc, const warp_call& call) noexcept {
  std::uint64_t result = call.value;
  from_lane([&](executor& device) { result = device.on_warp_operation(call, number(pc)); });
  return result;
}

std::uint32_t own_lane_mask() noexcept {
  return running_executor == nullptr ? 1 : running_executor->own_lane_mask();
}

bool in_lane() noexcept {
  return running_executor != nullptr;
}

std::uint64_t lane_steps() noexcept {
  std::uint64_t blocks = 0;
  from_lane([&](executor& device) { blocks = device.on_clock(); });
  return blocks;
}

void memory_fence(const void* pc, fence_scope scope) noexcept {
  from_lane([=](executor& device) { device.on_fence(scope, number(pc)); });
}

void atomic_access(const void* pc, const volatile void* address, std::size_t size_bytes,
                   bool reads) noexcept {
  from_lane([=](executor& device) {
    device.on_atomic(number(address), static_cast<unsigned>(size_bytes), reads, number(pc));
  });
}

void begin_copy(const void* pc, const copy_call& call) noexcept {
  if (running_executor == nullptr) {
    std::memset(call.to, 0, call.size_bytes);
    std::memcpy(call.to, call.from, call.size_bytes - call.zero_bytes);
  }
  from_lane([&](executor& device) { device.begin_copy(call, number(pc)); });
}

void commit_copies(const void* pc) noexcept {
  from_lane([&](executor& device) { device.commit_copies(number(pc)); });
}

void wait_for_copies(const void* pc, std::size_t later_groups) noexcept {
  from_lane([&](executor& device) { device.wait_for_copies(later_groups, number(pc)); });
}

unsigned cluster_size() noexcept {
  return running_executor == nullptr ? 1 : running_executor->cluster_size();
}

unsigned cluster_rank() noexcept {
  return running_executor == nullptr ? 0 : running_executor->cluster_rank();
}

void* shared_at_rank(const void* at, unsigned rank) noexcept {
  void* there = nullptr;
  from_lane([&](executor& device) { there = device.shared_at_rank(at, rank); });
  return there;
}

void cluster_arrive(const void* pc, bool releases) noexcept {
  from_lane([&](executor& device) { device.arrive_at_cluster(releases, number(pc)); });
}

void cluster_wait(const void* pc) noexcept {
  from_lane([&](executor& device) { device.wait_at_cluster(number(pc)); });
}

void mbarrier_init(const void* pc, std::uint64_t* at, unsigned arrivals) noexcept {
  from_lane([&](executor& device) { device.init_mbarrier(at, arrivals, number(pc)); });
}

void mbarrier_init_fence(const void*) noexcept {
  from_lane([&](executor& device) { device.fence_mbarriers(); });
}

void mbarrier_arrive(const void* pc, std::uint64_t* at, unsigned expected_bytes) noexcept {
  from_lane([&](executor& device) { device.arrive_at_mbarrier(at, expected_bytes, number(pc)); });
}

void mbarrier_wait(const void* pc, const std::uint64_t* at, unsigned parity) noexcept {
  from_lane([&](executor& device) { device.wait_at_mbarrier(at, parity, number(pc)); });
}

void store_later(const void* pc, void* to, const void* value, std::size_t size_bytes,
                 std::uint64_t* mbarrier) noexcept {
  from_lane(
      [&](executor& device) { device.store_later(to, value, size_bytes, mbarrier, number(pc)); });
}

void copy_bulk(const void* pc, void* to, const void* from, std::size_t size_bytes,
               std::uint64_t* mbarrier) noexcept {
  from_lane(
      [&](executor& device) { device.copy_bulk(to, from, size_bytes, mbarrier, number(pc)); });
}

void copy_as_one(const void* pc, void* to, const void* from, std::size_t size_bytes) noexcept {
  if (pc == nullptr) pc = __builtin_return_address(0);
  on_access(from, size_bytes, false, pc);
  unsigned char value[16];  // the widest access of a lane; in lockstep others run before the write
  std::memcpy(value, from, size_bytes);
  on_access(to, size_bytes, true, pc);
  std::memcpy(to, value, size_bytes);
}

}  // namespace onefold::simt

// One call deep, unlike the other words: every switch of lanes costs a mispredicted return for each
// function that it leaves, and barriers are the most frequent switch.
#define ONEFOLD_BARRIER(R, name, word, parameters, predicate)                                      \
  R name parameters noexcept {                                                                     \
    const std::uintptr_t pc = onefold::simt::number(__builtin_return_address(0));                  \
    int result = predicate;                                                                        \
    onefold::simt::from_lane([&](onefold::simt::executor& device) {                                \
      result = device.on_barrier(onefold::simt::barrier_word::word, predicate, pc);                \
    });                                                                                            \
    return static_cast<R>(result);                                                                 \
  }
ONEFOLD_BARRIER(void, __syncthreads, plain, (), 0)
ONEFOLD_BARRIER(int, __syncthreads_count, count, (int predicate), predicate)
ONEFOLD_BARRIER(int, __syncthreads_and, all, (int predicate), predicate)
ONEFOLD_BARRIER(int, __syncthreads_or, any, (int predicate), predicate)

// What g++ and clang call from code compiled with -fsanitize=thread -fsanitize-coverage=trace-pc.
// Defined here, they take the place of ThreadSanitizer's run time: never link this library into a
// program that is to be checked by ThreadSanitizer.
#define ONEFOLD_CALLBACK(name, size_bytes, writes)                                                 \
  void name(void* address) {                                                                       \
    onefold::simt::on_access(address, size_bytes, writes, __builtin_return_address(0));            \
  }
#define ONEFOLD_CALLBACKS(kind, size_bytes)                                                        \
  ONEFOLD_CALLBACK(__tsan_##kind##read##size_bytes, size_bytes, false)                             \
  ONEFOLD_CALLBACK(__tsan_##kind##write##size_bytes, size_bytes, true)

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmissing-declarations"
extern "C" {
ONEFOLD_CALLBACKS(, 1)
ONEFOLD_CALLBACKS(, 2)
ONEFOLD_CALLBACKS(, 4)
ONEFOLD_CALLBACKS(, 8)
ONEFOLD_CALLBACKS(, 16)
ONEFOLD_CALLBACKS(unaligned_, 2)
ONEFOLD_CALLBACKS(unaligned_, 4)
ONEFOLD_CALLBACKS(unaligned_, 8)
ONEFOLD_CALLBACKS(unaligned_, 16)
ONEFOLD_CALLBACKS(volatile_, 1)
ONEFOLD_CALLBACKS(volatile_, 2)
ONEFOLD_CALLBACKS(volatile_, 4)
ONEFOLD_CALLBACKS(volatile_, 8)
ONEFOLD_CALLBACKS(volatile_, 16)
ONEFOLD_CALLBACKS(unaligned_volatile_, 2)
ONEFOLD_CALLBACKS(unaligned_volatile_, 4)
ONEFOLD_CALLBACKS(unaligned_volatile_, 8)
ONEFOLD_CALLBACKS(unaligned_volatile_, 16)

void __tsan_read_range(void* address, unsigned long size_bytes) {
  onefold::simt::on_access(address, size_bytes, false, __builtin_return_address(0));
}
void __tsan_write_range(void* address, unsigned long size_bytes) {
  onefold::simt::on_access(address, size_bytes, true, __builtin_return_address(0));
}

void __sanitizer_cov_trace_pc() {
  const std::uintptr_t pc = onefold::simt::number(__builtin_return_address(0));
  if (*onefold::simt::expected_step == pc) {
    ++onefold::simt::expected_step;
  } else {
    onefold::simt::from_lane([pc](onefold::simt::executor& device) { device.on_step(pc); });
  }
}

// Not asked for by any observer.
void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
void __tsan_vptr_read(void**) {}
void __tsan_vptr_update(void**, void*) {}
}
#pragma GCC diagnostic pop
