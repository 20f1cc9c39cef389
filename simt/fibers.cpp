// SPDX-License-Identifier: Apache-2.0
#include "simt/fibers.hpp"

#include <sys/mman.h>

#include <new>

#ifdef ONEFOLD_SIMT_TELLS_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace onefold::simt {
namespace {

using boost::context::detail::make_fcontext;

constexpr std::size_t guard_bytes = 4096;
constexpr std::size_t slot_bytes = lane_fibers::stack_bytes + 2 * guard_bytes;  // 17 pages

// Equal offsets on every stack would put all lanes' hot frames into the same few cache sets: the
// odd number of pages spreads them over the second level, the colour over the first.
constexpr std::size_t colour_bytes = 128;
constexpr std::size_t colours = 31;

/// Mapping a stack and its guards costs more than a small launch, so executors share them.
class stack_pool {
 public:
  stack_pool() = default;
  stack_pool(const stack_pool&) = delete;
  stack_pool& operator=(const stack_pool&) = delete;
  ~stack_pool() {
    for (const std::uintptr_t low : free_)
      munmap(reinterpret_cast<void*>(low - guard_bytes), slot_bytes);
  }

  std::uintptr_t take() {
    if (free_.empty()) free_.push_back(map_stack());
    const std::uintptr_t low = free_.back();
    free_.pop_back();
    return low;
  }
  void give_back(std::uintptr_t low) { free_.push_back(low); }

 private:
  static std::uintptr_t map_stack();

  std::vector<std::uintptr_t> free_;
};

std::uintptr_t stack_pool::map_stack() {
  void* const slot =
      mmap(nullptr, slot_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (slot == MAP_FAILED) throw std::bad_alloc();
  void* const low = static_cast<std::byte*>(slot) + guard_bytes;
  if (mprotect(low, lane_fibers::stack_bytes, PROT_READ | PROT_WRITE) != 0) throw std::bad_alloc();
  return reinterpret_cast<std::uintptr_t>(low);
}

thread_local stack_pool stacks;

}  // namespace

lane_fibers::~lane_fibers() {
  for (const lane_state& lane : lanes_) stacks.give_back(lane.stack_low);
}

void lane_fibers::grow(unsigned count) {
  lanes_.reserve(count);
  while (lanes_.size() < count) lanes_.push_back({stacks.take(), nullptr});
}

void lane_fibers::prepare(unsigned count, body run, void* argument) {
  grow(count);
  run_ = run;
  argument_ = argument;
  for (unsigned lane = 0; lane < count; ++lane) {
    const std::uintptr_t low = lanes_[lane].stack_low;
    const std::size_t colour = (lane % colours) * colour_bytes;
#ifdef ONEFOLD_SIMT_TELLS_ASAN
    // Lanes never return from their last frame: what it poisoned must not outlive it.
    __asan_unpoison_memory_region(reinterpret_cast<void*>(low), stack_bytes);
#endif
    lanes_[lane].context = make_fcontext(reinterpret_cast<void*>(low + stack_bytes - colour),
                                         stack_bytes - colour, &lane_fibers::enter);
  }
}

void lane_fibers::enter(boost::context::detail::transfer_t from) {
  auto& self = *static_cast<lane_fibers*>(from.data);
  self.scheduler_ = from.fctx;
  self.arrive_in_lane(nullptr);
  self.run_(self.argument_, self.running_);
#ifdef ONEFOLD_SIMT_TELLS_ASAN
  // Null: this stack's frames are over.
  __sanitizer_start_switch_fiber(nullptr, self.scheduler_stack_low_, self.scheduler_stack_bytes_);
#endif
  boost::context::detail::jump_fcontext(self.scheduler_, nullptr);
  __builtin_unreachable();
}

#ifdef ONEFOLD_SIMT_TELLS_ASAN
void* lane_fibers::announce_to_lane(unsigned lane) {
  void* saved = nullptr;
  __sanitizer_start_switch_fiber(&saved, reinterpret_cast<void*>(lanes_[lane].stack_low),
                                 stack_bytes);
  return saved;
}

void* lane_fibers::announce_to_scheduler() {
  void* saved = nullptr;
  __sanitizer_start_switch_fiber(&saved, scheduler_stack_low_, scheduler_stack_bytes_);
  return saved;
}

void lane_fibers::arrive_in_scheduler(void* saved) {
  __sanitizer_finish_switch_fiber(saved, nullptr, nullptr);
}

void lane_fibers::arrive_in_lane(void* saved) {
  __sanitizer_finish_switch_fiber(saved, &scheduler_stack_low_, &scheduler_stack_bytes_);
}
#endif

}  // namespace onefold::simt
