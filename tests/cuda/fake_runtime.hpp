// SPDX-License-Identifier: Apache-2.0
// A CUDA runtime without a device, in place of NVIDIA's, for the tests of the engine's host side.
#pragma once

#include <cstddef>
#include <functional>

namespace onefold::cuda::test {

/// Whether an address lies in memory that was allocated and not freed.
bool is_known(const void* address);

/// Appends to the work of a stream, which may be null. Returns a cudaError_t as int.
int enqueue(void* stream, std::function<void()> work);

/// The n-th call from now on that can fail does, for want of memory; 0: none does.
void fail_call(int n);

/// Whether work is done when it is enqueued, as early as a device could; no to begin with.
void be_eager(bool eager);

/// Whether that call has come, and failed.
bool has_failed();

/// So many bytes of device and pinned memory there are, all together; 0: no end of them.
void limit_memory(std::size_t bytes);

/// Whether sending data of the host to the device takes no time at all, so that automatic does; no
/// to begin with: then there is no link.
void make_link_quick(bool quick);

/// How many devices the machine has; one to begin with.
void have_devices(int count);

/// The CUDA version of the machine's driver, as 13000; one below that of the runtime is refused.
void have_driver(int version);

/// How many devices have had work since they were counted.
int devices_used();

/// The code of calls that fail from now on; cudaErrorMemoryAllocation to begin with.
void fail_with(int code);

/// What is allocated or open now: device memory, pinned memory, streams.
int things_alive();

/// Allocations so far, and waits of the host for a stream.
int allocations();
int waits_so_far();

/// How often an event was recorded so far.
int records_so_far();

/// Whether a stream is being captured into a graph. Its work is done when it is waited for, as
/// ever.
void capture(void* stream, bool now);

}  // namespace onefold::cuda::test
