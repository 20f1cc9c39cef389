// SPDX-License-Identifier: Apache-2.0
// Requests that are answered asynchronously on the device.
#include <new>

#include "cuda/engine.hpp"
#include "cuda/plan/launch.hpp"
#include "cuda/runtime/device.hpp"
#include "cuda/runtime/workspace.hpp"

namespace onefold::cuda {
namespace {

void enqueue_list(const executor::cuda& on, const options& options, const launch_list& list) {
  auto* const stream = static_cast<cudaStream_t>(on.stream);
  workspace_lease workspace(on, options.workspace, list.device, list.workspace_bytes());
  // Kernels of whole arrays write the status themselves.
  if (options.status_out != nullptr && list.launches[0].kernel != kernel_family::full)
    check(cudaMemsetAsync(options.status_out, 0, sizeof(std::int32_t), stream),
          "writing the status");
  enqueue(list.launches, list.device, workspace.cleared(), workspace.scratch(), stream);
  workspace.pass_on();
}

status refused(const std::string& why, const char* remedy) {
  return {status_code::unsupported,
          "the CUDA engine would have to wait or to allocate for " + why + remedy};
}

// Nothing where the host can do it.
std::optional<status> refuse_host(const executor::cuda& on, const options& options,
                                  const std::string& why) {
  if (is_capturing(on)) return refused(why, ", which no graph can hold; do it outside the capture");
  if (options.count != nullptr)
    return refused(why, ", and options::count is for answers that stay on the device; copy the "
                        "number to the host and give a view of so many elements");
  return std::nullopt;
}

// Whether there was no memory for windows that are gathered. The host can do without.
bool lacks_windows(const launch_list& list, const error& failed) {
  return failed.why().code() == status_code::out_of_memory &&
         list.launches[0].kernel == kernel_family::gathered;
}

}  // namespace

std::optional<status> reduce_asynchronously(const executor::cuda& on, const request& request,
                                            std::span<const output_view> outputs) try {
  const options& options = request.options;
  const launch_list list = plan_launches(on, request, outputs);
  if (!list.why_not.empty()) return refuse_host(on, options, list.why_not);
  if (options.stop.stop_requested())
    return status(status_code::cancelled, "the caller asked to stop");
  check_device_options(options);
  const device_guard here(list.device);
  try {
    enqueue_list(on, options, list);
  } catch (const error& failed) {
    if (!lacks_windows(list, failed) || is_capturing(on) || options.count != nullptr) throw;
    return std::nullopt;
  }
  const std::int64_t all = request.plan.outputs * request.plan.items;
  if (options.progress) options.progress(all, all);
  return status();
} catch (const error& failed) {
  return failed.why();
} catch (const std::bad_alloc&) {
  return status(status_code::out_of_memory, "no memory for the CUDA engine's own lists");
}

result<std::size_t> asynchronous_workspace_bytes(const executor::cuda& on, const request& request,
                                                 std::span<const output_view> outputs) try {
  if (auto fine = check_device(on); !fine) return fine;
  const launch_list list = plan_launches(on, request, outputs);
  if (!list.why_not.empty())
    return refused(list.why_not, "; such a request has no workspace to give");
  return list.workspace_bytes();
} catch (const error& failed) {
  return failed.why();
} catch (const std::bad_alloc&) {
  return status(status_code::out_of_memory, "no memory for the CUDA engine's own lists");
}

status clear_workspace(const executor::cuda& on, void* buffer, std::size_t bytes) try {
  if (bytes == 0) return {};
  if (buffer == nullptr)
    return {status_code::usage, "workspace_init was given no buffer; give it device memory"};
  if (auto fine = check_device(on); !fine) return fine;
  const memory_facts found = memory_of(buffer);
  if (found.kind != memory::device)
    return {status_code::usage,
            "the workspace is not in device memory; allocate it with cudaMalloc"};
  const device_guard here(found.device);
  check(cudaMemsetAsync(buffer, 0, bytes, static_cast<cudaStream_t>(on.stream)),
        "clearing the workspace");
  return {};
} catch (const error& failed) {
  return failed.why();
}

}  // namespace onefold::cuda
