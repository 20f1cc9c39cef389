// SPDX-License-Identifier: Apache-2.0
// Enqueues the launches of requests that are answered asynchronously on the device.
#include "cuda/resident/resident.hpp"

#include <new>

#include "cuda/device.hpp"
#include "cuda/nested/describe.hpp"
#include "cuda/workspace.hpp"

namespace onefold::cuda {
namespace {

void launch_full_requests(const resident_work& work, const workspace_lease& in,
                          cudaStream_t stream) {
  auto* const words = reinterpret_cast<std::int64_t*>(in.scratch());
  const unsigned multiprocessors = multiprocessors_of(work.device);
  const sum_lanes lanes = suited_lanes(float32_per_float64_of(work.device));
  for (full_request each : work.full) {
    each.lanes = lanes;
    const grid_shape grid = suited_grid(each.of, each.input, each.n, multiprocessors, lanes);
    check_launch(launch_full(each, grid, in.cleared(), words, stream));
  }
}

void launch_rows_and_columns(const resident_work& work, const workspace_lease& in,
                             cudaStream_t stream) {
  for (const many_work& each : work.many)
    check_launch(launch_many(each.request, each.block, in.scratch(), in.cleared(), stream));
  for (const rows_work& each : work.rows) {
    const std::size_t bytes = segments_workspace_bytes(each.request, each.block);
    check(cudaMemsetAsync(in.scratch(), 0, bytes, stream), "clearing the workspace");
    check_launch(launch_segments(each.request, each.block, in.scratch(), stream));
  }
  const unsigned multiprocessors = multiprocessors_of(work.device);
  for (const row_folds& each : work.tiled) {
    const int steps = each.rows.vectors || each.packed ? light_steps : usual_steps;
    check_launch(launch_row_folds(each, blocks_of(each.rows, multiprocessors, steps), stream));
  }
  for (const columns_work& each : work.columns)
    check_launch(launch_selected_columns(each.request, each.block, in.scratch(), stream));
}

void launch_nests(const resident_work& work, const workspace_lease& in, cudaStream_t stream) {
  const unsigned multiprocessors = multiprocessors_of(work.device);
  for (const moment_columns& each : work.moments)
    check_launch(launch_moment_columns(each, in.scratch(), multiprocessors, stream));
  for (const exponential_columns& each : work.exponentials)
    check_launch(launch_exponential_columns(each, in.scratch(), multiprocessors, stream));
  for (const nested_request& each : work.nested)
    check_launch(launch_nested(each, blocks_of(each, multiprocessors), nullptr, stream));
}

void enqueue(const executor::cuda& on, const request& of, const resident_work& work) {
  auto* const stream = static_cast<cudaStream_t>(on.stream);
  workspace_lease in(on, of.options.workspace, work.device, work.workspace_bytes);
  launch_full_requests(work, in, stream);
  if (work.full.empty() && of.options.status_out != nullptr)
    check(cudaMemsetAsync(of.options.status_out, 0, sizeof(std::int32_t), stream),
          "writing the status");
  launch_rows_and_columns(work, in, stream);
  launch_nests(work, in, stream);
  in.pass_on();
}

status refused(const std::string& why, const char* remedy) {
  return {status_code::unsupported,
          "the CUDA engine would have to wait or to allocate for " + why + remedy};
}

}  // namespace

void check_place(const void* address, const char* what) {
  if (address != nullptr && memory_of(address).kind == memory::pageable)
    throw error({status_code::usage,
                 std::string(what) + " lies in memory of the host; give it device memory"});
}

bool is_capturing(const executor::cuda& on) {
  cudaStreamCaptureStatus now = cudaStreamCaptureStatusNone;
  const cudaError_t code = cudaStreamIsCapturing(static_cast<cudaStream_t>(on.stream), &now);
  if (code == cudaSuccess) return now != cudaStreamCaptureStatusNone;
  cudaGetLastError();
  return code == cudaErrorStreamCaptureImplicit;  // the default stream, while another one captures
}

std::optional<status> reduce_resident(const executor::cuda& on, const request& of,
                                      std::span<const accumulator> accumulators,
                                      std::span<const output_view> outputs) try {
  const resident_work work = resident_work_of(on, of, accumulators, outputs);
  if (!work.why_not.empty()) {
    if (is_capturing(on))
      return refused(work.why_not, ", which no graph can hold; do it outside the capture");
    if (of.options.count != nullptr)
      return refused(work.why_not, ", and options::count is for answers that stay on the device; "
                                   "copy the number to the host and give a view of so many "
                                   "elements");
    return std::nullopt;
  }
  if (of.options.stop.stop_requested())
    return status(status_code::cancelled, "the caller asked to stop");
  check_place(of.options.count, "options::count");
  check_place(of.options.status_out, "options::status_out");
  check_place(of.options.workspace.data, "options::workspace");
  const device_guard here(work.device);
  enqueue(on, of, work);
  const std::int64_t all = of.plan.outputs * of.plan.items;
  if (of.options.progress) of.options.progress(all, all);
  return status();
} catch (const error& failed) {
  return failed.why();
} catch (const std::bad_alloc&) {
  return status(status_code::out_of_memory, "no memory for the CUDA engine's own lists");
}

result<std::size_t> resident_bytes(const executor::cuda& on, const request& of,
                                   std::span<const accumulator> accumulators,
                                   std::span<const output_view> outputs) try {
  if (auto fine = check_device(on); !fine) return fine;
  const resident_work work = resident_work_of(on, of, accumulators, outputs);
  if (work.why_not.empty()) return work.workspace_bytes;
  return refused(work.why_not, "; such a request has no workspace to give");
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
