// SPDX-License-Identifier: Apache-2.0
// A CUDA runtime without a device, in place of NVIDIA's, for the tests of the engine's host side.
#pragma once

namespace onefold::cuda::test {

/// The n-th call from now on that can fail does, for want of memory; 0: none does.
void fail_call(int n);

/// Whether work is done when it is enqueued, as early as a device could; no to begin with.
void be_eager(bool eager);

/// What is allocated or open now: device memory, pinned memory, streams.
int things_alive();

/// Allocations so far, and waits of the host for a stream.
int allocations();
int waits_so_far();

/// Whether a stream is being captured into a graph. Its work is done when it is waited for, as
/// ever.
void capture(void* stream, bool now);

}  // namespace onefold::cuda::test
