// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the words of CUDA call: the way from a running lane into the executor.
//
// Every call takes the address to which the word returns, so that a report names the kernel's line
// and not the header's. So each word is one function that is never inlined, and is compiled
// without instrumentation: what happens inside it is neither an access nor a branch of the kernel.
// Words are static: where the linker drops a copy of an inline function, the debug information of
// its unit still claims the address, and libbacktrace then misses the functions behind it.

#include <cstddef>
#include <cstdint>

#if defined(__clang__)
#define ONEFOLD_UNSEEN no_sanitize("thread"), no_sanitize("coverage")
// clang would join two equal calls at the ends of both arms of a branch into one behind it.
#define ONEFOLD_SYNCHRONISES __attribute__((convergent, nomerge))
#define ONEFOLD_WORD static inline __attribute__((noinline, convergent, nomerge, ONEFOLD_UNSEEN))
#else
#define ONEFOLD_UNSEEN no_sanitize("thread"), no_sanitize_coverage
#define ONEFOLD_SYNCHRONISES
#define ONEFOLD_WORD static inline __attribute__((noipa, ONEFOLD_UNSEEN))
#endif

namespace onefold::simt {

enum class warp_word : std::uint8_t {
  shuffle,  ///< argument: the source lane
  shuffle_up,
  shuffle_down,
  shuffle_xor,
  ballot,
  any,
  all,
  match,
  add,
  min,
  max,
  min_signed,
  max_signed,
  bit_and,
  bit_or,
  bit_xor,
  synchronise,
};

enum class barrier_word : std::uint8_t { plain, count, all, any };

enum class fence_scope : std::uint8_t { block, device };

/// One lane's part in a warp operation.
struct warp_call {
  warp_word word;
  std::uint32_t mask;
  std::uint64_t value = 0;
  int argument = 0;
  int width = 0;
};

/// Waits for the other lanes of the mask; the result of a shuffle has as many bits as its value.
ONEFOLD_SYNCHRONISES std::uint64_t warp_operation(const void* pc, const warp_call& call) noexcept;

/// The running lane's bit in a mask of its warp.
std::uint32_t own_lane_mask() noexcept;
/// Whether a kernel's lane asks, and not the host.
bool in_lane() noexcept;

/// Basic blocks that the running lane has entered.
std::uint64_t lane_steps() noexcept;

void memory_fence(const void* pc, fence_scope scope) noexcept;

/// Before an atomic operation; `reads` unless it stores whatever was there.
void atomic_access(const void* pc, const volatile void* address, std::size_t size_bytes,
                   bool reads) noexcept;

/// Copies as one read and one write of `size_bytes`. Without a pc: where the call returns to.
ONEFOLD_SYNCHRONISES void copy_as_one(const void* pc, void* to, const void* from,
                                      std::size_t size_bytes) noexcept;

/// cp.async: zeros instead of the last `zero_bytes`.
struct copy_call {
  void* to;
  const void* from;
  std::size_t size_bytes;
  std::size_t zero_bytes;
};
void begin_copy(const void* pc, const copy_call& call) noexcept;
void commit_copies(const void* pc) noexcept;
void wait_for_copies(const void* pc, std::size_t later_groups) noexcept;

unsigned cluster_size() noexcept;
unsigned cluster_rank() noexcept;
void* shared_at_rank(const void* at, unsigned rank) noexcept;
/// Relaxed unless it releases.
void cluster_arrive(const void* pc, bool releases) noexcept;
ONEFOLD_SYNCHRONISES void cluster_wait(const void* pc) noexcept;

void mbarrier_init(const void* pc, std::uint64_t* at, unsigned arrivals) noexcept;
void mbarrier_init_fence(const void* pc) noexcept;
void mbarrier_arrive(const void* pc, std::uint64_t* at, unsigned expected_bytes) noexcept;
ONEFOLD_SYNCHRONISES void mbarrier_wait(const void* pc, const std::uint64_t* at,
                                        unsigned parity) noexcept;
/// st.async: up to 8 bytes, which are counted at the mbarrier.
void store_later(const void* pc, void* to, const void* value, std::size_t size_bytes,
                 std::uint64_t* mbarrier) noexcept;
/// cp.async.bulk from global to shared memory.
void copy_bulk(const void* pc, void* to, const void* from, std::size_t size_bytes,
               std::uint64_t* mbarrier) noexcept;

}  // namespace onefold::simt

/// Inside a word: where the kernel goes on.
#define ONEFOLD_HERE __builtin_return_address(0)
