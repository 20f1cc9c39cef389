// SPDX-License-Identifier: Apache-2.0
#include "cuda/device.hpp"
#include "cuda/engine.hpp"
#include "cuda/many/plan.hpp"
#include "cuda/slot.hpp"

namespace onefold::cuda {
namespace {

bool is_contiguous(const output_view& to) {
  auto step = std::int64_t(size_bytes(to.type()));
  for (int i = to.axes().size() - 1; i >= 0; --i) {
    const axis_layout& axis = to.axes()[i];
    if (axis.extent != 1 && axis.stride_bytes != step) return false;
    step *= axis.extent;
  }
  return true;
}

// The workspace is left as it was found: zero.
void launch(const many_work& work, int device, cudaStream_t stream) {
  borrowed_slot at(device);
  const std::size_t bytes = many_workspace_bytes(work.request, work.block);
  void* const workspace = bytes > 0 ? at->workspace(bytes) : nullptr;
  check(cudaError_t(launch_many(work.request, work.block, workspace, stream)),
        "launching a kernel");
  if (bytes > 0) check(cudaMemsetAsync(workspace, 0, bytes, stream), "clearing the workspace");
  check(cudaStreamSynchronize(stream), "reducing on the device");
  at.give_back();
}

}  // namespace

std::optional<status> reduce_many(const executor::cuda& on, const request& of,
                                  const output_view& to) try {
  if (of.how.initial || !is_contiguous(to)) return std::nullopt;
  auto work = many_work_of(of.decided, of.x, to.type());
  if (!work) return std::nullopt;
  const memory_facts x = memory_of(of.x), out = memory_of(to.data());
  const bool here = x.kind == memory::device && out.kind == memory::device &&
                    x.device == out.device && (on.device < 0 || on.device == x.device);
  if (!here) return std::nullopt;
  if (of.how.stop.stop_requested())
    return status(status_code::cancelled, "the caller asked to stop");
  const device_guard guard(x.device);
  work->block.out = to.data();
  launch(*work, x.device, static_cast<cudaStream_t>(on.stream));
  const std::int64_t all = of.decided.outputs * of.decided.items;
  if (of.how.progress) of.how.progress(all, all);
  return status();
} catch (const error& failed) {
  return failed.why();
}

}  // namespace onefold::cuda
