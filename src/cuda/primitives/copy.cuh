// SPDX-License-Identifier: Apache-2.0
#pragma once
// Copies of 16 bytes from device to shared memory that the lane does not wait for: data on their
// way that take no register. Devices before sm_80 have none and copy at once. The SIMT executor
// has them and lets them land as late as it may.

#include "cuda/primitives/words.cuh"

#include <cstddef>

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
#define ONEFOLD_COPIES_GO_ON
#endif

namespace onefold::cuda {

/// to[0 … 1] = from[0 … 1], both Offset bytes on, some time before this lane has waited for the
/// group. Both are multiples of 16; no thread writes them meanwhile, nor reads `to`. An instruction
/// adds the offset, so that copies from one place need one address.
template <int Offset = 0>
ONEFOLD_DEVICE void begin_copy(std::int64_t* to, const void* from) {
#if defined(ONEFOLD_COPIES_GO_ON)
  asm volatile("cp.async.cg.shared.global.L2::128B [%0 + %2], [%1 + %2], 16;"
               :
               : "r"(unsigned(__cvta_generic_to_shared(to))), "l"(from), "n"(Offset)
               : "memory");
#elif defined(ONEFOLD_PLAIN_DEVICE_CODE)
  __pipeline_memcpy_async(to + Offset / 8, static_cast<const std::byte*>(from) + Offset, 16);
#else
  const auto* const words = static_cast<const std::int64_t*>(from) + Offset / 8;
  const std::int64_t low = words[0], high = words[1];
  to[Offset / 8] = low, to[Offset / 8 + 1] = high;
#endif
}

/// The same of what is read once: it leaves the second cache first, so that what is read and
/// written in pieces stays there.
ONEFOLD_DEVICE void begin_copy_read_once(std::int64_t* to, const void* from) {
#if defined(ONEFOLD_COPIES_GO_ON)
  std::uint64_t policy;
  asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
  asm volatile("cp.async.cg.shared.global.L2::cache_hint.L2::128B [%0], [%1], 16, %2;"
               :
               : "r"(unsigned(__cvta_generic_to_shared(to))), "l"(from), "l"(policy)
               : "memory");
#else
  begin_copy(to, from);
#endif
}

/// Asks the second cache for what is read soon.
ONEFOLD_DEVICE void ask_for([[maybe_unused]] const void* at) {
#if defined(ONEFOLD_COPIES_GO_ON)
  asm volatile("prefetch.global.L2 [%0];" : : "l"(at));
#endif
}

/// What this lane began since the last call is a group, and may be empty.
ONEFOLD_DEVICE void end_copies() {
#if defined(ONEFOLD_COPIES_GO_ON)
  asm volatile("cp.async.commit_group;" ::: "memory");
#elif defined(ONEFOLD_PLAIN_DEVICE_CODE)
  __pipeline_commit();
#endif
}

/// Until at most `Later` of this lane's latest groups are on their way.
template <int Later>
ONEFOLD_DEVICE void wait_for_copies() {
#if defined(ONEFOLD_COPIES_GO_ON)
  asm volatile("cp.async.wait_group %0;" : : "n"(Later) : "memory");
#elif defined(ONEFOLD_PLAIN_DEVICE_CODE)
  __pipeline_wait_prior(Later);
#endif
}

}  // namespace onefold::cuda
