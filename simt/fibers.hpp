// SPDX-License-Identifier: Apache-2.0
#pragma once
// Lanes as stackful fibers on pooled stacks.
//
// The raw interface is chosen
// over boost::context::fiber because a launch that is given up must drop its suspended lanes
// without unwinding them by exceptions through noexcept device functions: a kernel's locals are
// trivial, so the stack is simply prepared again.
//
// A switch makes the processor mispredict every return address between the switch and the code
// that goes on, so resume and pause are inline, here and in their callers up to the kernel.

#include <boost/context/detail/fcontext.hpp>

#if defined(__SANITIZE_ADDRESS__)
#define ONEFOLD_SIMT_TELLS_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ONEFOLD_SIMT_TELLS_ASAN 1
#endif
#endif

#include <cstddef>
#include <cstdint>
#include <vector>

namespace onefold::simt {

class lane_fibers {
 public:
  using body = void (*)(void* argument, unsigned lane);

  lane_fibers() = default;
  lane_fibers(const lane_fibers&) = delete;
  lane_fibers& operator=(const lane_fibers&) = delete;
  ~lane_fibers();

  /// Gives `count` lanes a stack and puts each at the start of `run(argument, lane)`.
  void prepare(unsigned count, body run, void* argument);

  /// From the scheduler: continues a lane until it pauses or ends.
  void resume(unsigned lane) {
    running_ = lane;
    [[maybe_unused]] void* saved = announce_to_lane(lane);
    lanes_[lane].context = boost::context::detail::jump_fcontext(lanes_[lane].context, this).fctx;
    arrive_in_scheduler(saved);
  }

  /// From the running lane: back to the scheduler.
  void pause() {
    [[maybe_unused]] void* saved = announce_to_scheduler();
    scheduler_ = boost::context::detail::jump_fcontext(scheduler_, nullptr).fctx;
    arrive_in_lane(saved);
  }

  /// Whether the address lies on the stack of this lane.
  bool on_stack(unsigned lane, std::uintptr_t address) const {
    return address - lanes_[lane].stack_low < stack_bytes;
  }

  static constexpr std::size_t stack_bytes = std::size_t{60} * 1024;

 private:
  struct lane_state {
    std::uintptr_t stack_low = 0;
    boost::context::detail::fcontext_t context = nullptr;
  };

  static void enter(boost::context::detail::transfer_t from);
  void grow(unsigned count);

  // AddressSanitizer must be told of every switch; other builds compile nothing here.
#ifdef ONEFOLD_SIMT_TELLS_ASAN
  void* announce_to_lane(unsigned lane);
  void* announce_to_scheduler();
  void arrive_in_scheduler(void* saved);
  void arrive_in_lane(void* saved);
#else
  void* announce_to_lane(unsigned) {
    return nullptr;
  }
  void* announce_to_scheduler() {
    return nullptr;
  }
  void arrive_in_scheduler(void*) {}
  void arrive_in_lane(void*) {}
#endif

  std::vector<lane_state> lanes_;
  boost::context::detail::fcontext_t scheduler_ = nullptr;
  const void* scheduler_stack_low_ = nullptr;
  std::size_t scheduler_stack_bytes_ = 0;
  unsigned running_ = 0;
  body run_ = nullptr;
  void* argument_ = nullptr;
};

}  // namespace onefold::simt
