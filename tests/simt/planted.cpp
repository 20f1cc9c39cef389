// SPDX-License-Identifier: Apache-2.0
#include "tests/simt/planted.hpp"

#include "tests/simt/planted.cuh"
#include "tests/simt/planted_async.cuh"
#include "tests/simt/planted_order.cuh"

namespace onefold::simt::test {
namespace {

using kernel_pointer = void (*)(const int* in, std::size_t n, int* out);

template <kernel_pointer Kernel>
void launch_kernel(executor& device, const launch_config& config, const kernel_memory& memory) {
  const int* in = memory.in;
  const std::size_t n = memory.n;
  int* out = memory.out;
  launch(device, config, [=] { Kernel(in, n, out); });
}

}  // namespace

#define ONEFOLD_TEST_KERNEL(...)                                                                   \
  { #__VA_ARGS__, launch_kernel < __VA_ARGS__> }

const test_kernel planted_kernels[] = {
    ONEFOLD_TEST_KERNEL(missing_barrier),
    ONEFOLD_TEST_KERNEL(read_then_written),
    ONEFOLD_TEST_KERNEL(two_blocks_write),
    ONEFOLD_TEST_KERNEL(one_block_reads_another),
    ONEFOLD_TEST_KERNEL(neighbouring_bytes),
    ONEFOLD_TEST_KERNEL(reads_past_the_end),
    ONEFOLD_TEST_KERNEL(writes_before_the_beginning),
    ONEFOLD_TEST_KERNEL(dynamic_shared_overrun),
    ONEFOLD_TEST_KERNEL(static_shared_overrun),
    ONEFOLD_TEST_KERNEL(null_pointer),
    ONEFOLD_TEST_KERNEL(unwritten_shared),
    ONEFOLD_TEST_KERNEL(unwritten_global),
    ONEFOLD_TEST_KERNEL(two_barriers),
    ONEFOLD_TEST_KERNEL(some_lanes_leave),
    ONEFOLD_TEST_KERNEL(waits_for_ever),
    ONEFOLD_TEST_KERNEL(waits_for_the_other),
    ONEFOLD_TEST_KERNEL(volatile_warp),
    ONEFOLD_TEST_KERNEL(mask_without_itself),
    ONEFOLD_TEST_KERNEL(mask_of_ended_lanes),
    ONEFOLD_TEST_KERNEL(source_outside_the_mask),
    ONEFOLD_TEST_KERNEL(two_masks),
    ONEFOLD_TEST_KERNEL(warp_against_block),
    ONEFOLD_TEST_KERNEL(halves_with_their_own_masks),
    ONEFOLD_TEST_KERNEL(through_memory<true>),
    ONEFOLD_TEST_KERNEL(through_memory<false>),
    ONEFOLD_TEST_KERNEL(syncwarp_of_halves),
    ONEFOLD_TEST_KERNEL(warps_need_a_barrier),
    ONEFOLD_TEST_KERNEL(last_block<fences::none>),
    ONEFOLD_TEST_KERNEL(last_block<fences::block>),
    ONEFOLD_TEST_KERNEL(last_block<fences::device>),
    ONEFOLD_TEST_KERNEL(last_block_of_lanes<fences::none>),
    ONEFOLD_TEST_KERNEL(last_block_of_lanes<fences::device>),
    ONEFOLD_TEST_KERNEL(last_warp_of_a_block<fences::none>),
    ONEFOLD_TEST_KERNEL(last_warp_of_a_block<fences::block>),
    ONEFOLD_TEST_KERNEL(atomic_and_plain),
    ONEFOLD_TEST_KERNEL(never_unlocked),
    ONEFOLD_TEST_KERNEL(copies_to_shared<omitted::nothing>),
    ONEFOLD_TEST_KERNEL(copies_to_shared<omitted::wait>),
    ONEFOLD_TEST_KERNEL(copies_to_shared<omitted::commit>),
    ONEFOLD_TEST_KERNEL(copies_to_shared<omitted::barrier>),
    ONEFOLD_TEST_KERNEL(ring_of_copies<omitted::nothing>),
    ONEFOLD_TEST_KERNEL(ring_of_copies<omitted::wait>),
    ONEFOLD_TEST_KERNEL(ring_of_copies<omitted::commit>),
    ONEFOLD_TEST_KERNEL(ring_of_copies<omitted::barrier>),
    ONEFOLD_TEST_KERNEL(waits_for_too_few),
    ONEFOLD_TEST_KERNEL(written_in_flight),
    ONEFOLD_TEST_KERNEL(copied_in_flight),
    ONEFOLD_TEST_KERNEL(source_changes),
    ONEFOLD_TEST_KERNEL(misplaced_copy),
    ONEFOLD_TEST_KERNEL(copies_of_all_sizes),
    ONEFOLD_TEST_KERNEL(bulk_copy<omitted::nothing>),
    ONEFOLD_TEST_KERNEL(bulk_copy<omitted::wait>),
    ONEFOLD_TEST_KERNEL(bulk_copy<omitted::barrier>),
    ONEFOLD_TEST_KERNEL(bulk_copy<omitted::expected_bytes>),
    ONEFOLD_TEST_KERNEL(reads_the_other_block<omitted::nothing, false>),
    ONEFOLD_TEST_KERNEL(reads_the_other_block<omitted::nothing, true>),
    ONEFOLD_TEST_KERNEL(reads_the_other_block<omitted::barrier, false>),
    ONEFOLD_TEST_KERNEL(reads_the_other_block<omitted::barrier, true>),
    ONEFOLD_TEST_KERNEL(reads_the_other_block<omitted::release, false>),
    ONEFOLD_TEST_KERNEL(reads_the_other_block<omitted::last_barrier, false>),
    ONEFOLD_TEST_KERNEL(sends_to_the_other_block<omitted::nothing>),
    ONEFOLD_TEST_KERNEL(sends_to_the_other_block<omitted::wait>),
    ONEFOLD_TEST_KERNEL(sends_to_the_other_block<omitted::barrier>),
    ONEFOLD_TEST_KERNEL(sends_to_the_other_block<omitted::release>),
};
const std::size_t planted_kernel_count = sizeof(planted_kernels) / sizeof(planted_kernels[0]);

}  // namespace onefold::simt::test
