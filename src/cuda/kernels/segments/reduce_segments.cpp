// SPDX-License-Identifier: Apache-2.0
#include "cuda/kernels/segments/reduce_segments.hpp"

#include <new>
#include <string>
#include <vector>

#include "cuda/kernels/segments/segments.hpp"
#include "cuda/plan/kernel_table.hpp"
#include "cuda/plan/operands.hpp"
#include "cuda/runtime/device.hpp"
#include "cuda/runtime/devices.hpp"
#include "cuda/runtime/slot.hpp"
#include "request/offsets.hpp"
#include "rounding/errors.hpp"

namespace onefold::cuda {
namespace {

using offsets_span = std::span<const std::int64_t>;

status refused(const std::string& why) {
  return {status_code::unsupported, "the CUDA engine does not serve segments " + why + use_the_cpu};
}

status check_form(const cuda::request& given, const segments_request& request,
                  const output_view& to) {
  const auto& plan = given.plan;
  if (plan.masked) return refused("with a mask");
  if (given.options.initial) return refused("with an initial value");
  const exclusion excludes = excluded_by(plan);
  if (!has_kernel(kernel_family::segments, {request.op, request.accuracy, request.input,
                                            request.output, layout_form::rows, excludes})) {
    const char* const nans = excludes == exclusion::nans ? " under this NaN policy" : "";
    return refused("of " + std::string(name(request.op)) + " of " +
                   std::string(name(request.input)) + " to " + std::string(name(request.output)) +
                   nans);
  }
  if (plan.items > 0 && !are_dense_elements(given))
    return refused("of elements that do not lie side by side, or off a multiple of their size");
  if (!is_dense(to))
    return refused("whose answers do not lie side by side, or off a multiple of their size");
  return {};
}

// The device that holds the elements and the answers; the offsets may be the host's.
// Fails: throws onefold::error.
int device_of(const executor::cuda& on, const request& request, const output_view& to) {
  const memory_facts out = memory_of(to.data());
  const memory_facts x = request.plan.items > 0 ? memory_of(request.x) : out;
  if (x.kind != memory::device || out.kind != memory::device)
    throw error(refused("of elements or answers in host memory (copy them to the device)"));
  if (x.device != out.device || (on.device >= 0 && on.device != x.device))
    throw error(status(status_code::mismatch,
                       "the elements and the answers of segments lie in the memory of two devices, "
                       "or of another one than the executor's; bring them to one"));
  return x.device;
}

status status_of_findings(std::uint64_t findings, const segments_request& request) {
  if ((findings & met_nan) != 0) return met_a_nan(request.op);
  if ((findings & segment_is_empty) != 0) return no_value(request.op);
  if ((findings & sum_does_not_fit) != 0) return does_not_fit(request.op, request.output);
  if ((findings & segment_is_too_long) != 0)
    return refused("of integers with more than 2^31 elements (reduce such a one by itself)");
  return {};
}

std::vector<std::int64_t> host_copy(offsets_span offsets) {
  std::vector<std::int64_t> copy(offsets.size());
  check(cudaMemcpy(copy.data(), offsets.data(), offsets.size_bytes(), cudaMemcpyDefault),
        "copying the offsets from the device");
  return copy;
}

// What the device found wrong, in the words of the CPU.
status name_the_wrong(offsets_span offsets, std::int64_t items) {
  if (auto wrong = check_offsets(host_copy(offsets), items); !wrong) return wrong;
  return {status_code::mismatch, "offsets changed while segments were reduced; wait for what "
                                 "writes them, or use its stream"};
}

// The launch of one request, with a workspace that is left as it was found: zero. The
// host's offsets come after it.
class segments_pass {
 public:
  segments_pass(const segments_launch& launch, bool host_offsets, int device,
                const memory_source& from)
      : launch_(launch), stream_(from.stream), at_(device),
        own_((launch.workspace_bytes + 15) / 16 * 16),
        all_(own_ +
             (host_offsets ? (std::size_t(launch.block.count) + 1) * sizeof(std::int64_t) : 0)) {
    at_->borrow_from(from);
  }

  /// Returns what was found.
  std::uint64_t run() {
    try {
      enqueue();
    } catch (...) {
      cudaStreamSynchronize(stream_);  // what is under way uses the workspace
      throw;
    }
    check(cudaStreamSynchronize(stream_), "reducing on the device");
    const auto findings = std::uint64_t(at_->words()[0]);
    at_.give_back();
    return findings;
  }

 private:
  void enqueue() {
    auto* const workspace = static_cast<std::byte*>(at_->workspace(all_));
    if (all_ > own_) {
      check(cudaMemcpyAsync(workspace + own_, launch_.block.offsets, all_ - own_,
                            cudaMemcpyHostToDevice, stream_),
            "copying the offsets to the device");
      launch_.block.offsets = reinterpret_cast<const std::int64_t*>(workspace + own_);
    }
    check_launch(enqueue_segments(launch_, workspace, stream_));
    check(cudaMemcpyAsync(at_->device_words(), workspace, sizeof(std::uint64_t), cudaMemcpyDefault,
                          stream_),
          "copying the findings from the device");
    check(cudaMemsetAsync(workspace, 0, all_, stream_), "clearing the workspace");
  }

  segments_launch launch_;
  cudaStream_t stream_;
  borrowed_slot at_;
  std::size_t own_, all_;
};

}  // namespace

status reduce_segments(const executor::cuda& on, const cuda::request& given, offsets_span offsets,
                       const output_view& to) try {
  const auto& plan = given.plan;
  const segments_request request = {plan.ops[0], plan.accuracy, plan.nan_policy, plan.input,
                                    to.type()};
  if (auto fine = check_device(on); !fine) return fine;
  if (auto fine = check_form(given, request, to); !fine) return fine;
  if (given.options.stop.stop_requested())
    return {status_code::cancelled, "the caller asked to stop"};
  const bool host_offsets = memory_of(offsets.data()).kind != memory::device;
  if (offsets.size() == 1) return check_offsets(host_copy(offsets), plan.items);
  const int device = device_of(on, given, to);
  const device_guard guard(device);
  const segments_block block = {given.x,        plan.items,
                                offsets.data(), std::int64_t(offsets.size()) - 1,
                                to.data(),      given.options.first_index};
  const memory_source from = {on.memory, static_cast<cudaStream_t>(on.stream)};
  const std::uint64_t findings =
      segments_pass(plan_segments(request, block), host_offsets, device, from).run();
  if ((findings & offsets_are_wrong) != 0) return name_the_wrong(offsets, plan.items);
  if (auto done = status_of_findings(findings, request); !done) return done;
  if (given.options.progress) given.options.progress(plan.items, plan.items);
  return {};
} catch (const error& failed) {
  return failed.why();
} catch (const std::bad_alloc&) {
  return {status_code::out_of_memory, "no memory for the CUDA engine's own lists"};
}

}  // namespace onefold::cuda
