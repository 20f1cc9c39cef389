// SPDX-License-Identifier: Apache-2.0
// Accumulation of elements on the GPU: chooses between one launch, windows of host data, and
// strided kernels.
#include "cuda/engine.hpp"

#include <algorithm>
#include <new>
#include <vector>

#include "cuda/accumulate_range.hpp"
#include "cuda/host_windows.hpp"
#include "cuda/kernels/gather/gather.hpp"
#include "cuda/kernels/strided/strided_batches.hpp"
#include "cuda/kernels/whole/whole.hpp"
#include "cuda/plan/gathered.hpp"
#include "cuda/plan/kernel_table.hpp"
#include "cuda/runtime/device.hpp"

namespace onefold::cuda {
namespace {

void accumulate_at_once(const executor::cuda& on, const request& request, int device,
                        std::span<const target> into) {
  const auto& plan = request.plan;
  const options& options = request.options;
  if (options.stop.stop_requested())
    throw error({status_code::cancelled, "the caller asked to stop"});
  borrowed_slot slot(device);
  auto* const stream = static_cast<cudaStream_t>(on.stream);
  slot->borrow_from({on.memory, stream});
  const device_range all = {request.x, request.y, plan.items, options.first_index};
  launch_all(*slot, all, plan.input, into, stream);
  check(cudaStreamSynchronize(stream), "reducing on the device");
  merge_all(*slot, all, plan.input, into);
  slot.give_back();
  if (options.progress) options.progress(request.before + plan.items, request.all);
}

// Elements of one view that are not contiguous, a copied window after the other.
constexpr std::int64_t gathered_bytes = std::int64_t(64) << 20;

bool can_gather(const request& request, std::span<const target> into) {
  const auto& plan = request.plan;
  return has_one_view(request) && plan.reduced.size() <= gather_copy::most_axes &&
         std::none_of(into.begin(), into.end(), [](const target& each) { return each.tree; });
}

// Returns false, before an element is read, where there is no memory for a window.
bool accumulate_gathered(const executor::cuda& on, const request& request, int device,
                         std::span<const target> into) {
  const auto& plan = request.plan;
  const options& options = request.options;
  const auto width = std::int64_t(size_bytes(plan.input));
  const std::vector<answer_window> windows = windows_of(plan.reduced, width, gathered_bytes);
  borrowed_slot slot(device);
  auto* const stream = static_cast<cudaStream_t>(on.stream);
  slot->borrow_from({on.memory, stream});
  const std::int64_t most = windows[0].kept.items();
  std::byte* elements = nullptr;
  try {
    elements = slot->scratch(std::size_t(most * width));
    reserve_all(*slot, most, plan.input, into);
  } catch (const error& failed) {
    if (failed.why().code() == status_code::out_of_memory) return false;
    throw;
  }
  for (const answer_window& window : windows) {
    if (options.stop.stop_requested())
      throw error({status_code::cancelled, "the caller asked to stop"});
    gather_copy copy(static_cast<const std::byte*>(request.x) + window.x_bytes, elements, width);
    for (const loop_axis& axis : window.kept) copy.add_axis({axis.extent, axis.x_bytes});
    check_launch(launch_gather(gather_launch(copy), multiprocessors_of(device), stream));
    const device_range range = {elements, nullptr, window.kept.items(),
                                options.first_index + window.first};
    launch_all(*slot, range, plan.input, into, stream);
    check(cudaStreamSynchronize(stream), "reducing on the device");
    merge_all(*slot, range, plan.input, into);
    if (options.progress) options.progress(request.before + window.first + range.n, request.all);
  }
  slot.give_back();
  return true;
}

status refused(const std::string& request) {
  return {status_code::unsupported, "the CUDA engine does not serve " + request + use_the_cpu};
}

status refused_while_captured() {
  return {status_code::unsupported,
          "states and answers of the host cannot be made while the stream is captured; do it "
          "outside the capture, or let the answers stay in device memory"};
}

status accumulate_scattered(const executor::cuda& on, const request& request,
                            std::span<const target> into) {
  return reduce_each(on, request, [&](const answer_words& words) {
    words.add_to(0, into);
    return status();
  });
}

}  // namespace

status accumulate(const executor::cuda& on, const request& request,
                  std::span<const target> into) try {
  const auto& plan = request.plan;
  const bool is_scattered = plan.reading == path::packed;
  if (is_scattered && !can_gather(request, into)) return accumulate_scattered(on, request, into);
  if (const auto why = unserved(kernel_family::full, plan); !why.empty()) return refused(why);
  if (is_capturing(on)) return refused_while_captured();
  const where place = place_of(on, request);
  if (plan.items == 0) return {};
  const device_guard here(place.device);
  if (is_scattered) {
    const bool gathered =
        place.kind == memory::device && accumulate_gathered(on, request, place.device, into);
    if (!gathered) return accumulate_scattered(on, request, into);
  } else if (place.kind == memory::device) {
    accumulate_at_once(on, request, place.device, into);
  } else {
    accumulate_windows(on, request, place, into);
  }
  for (const target& each : into)
    if (each.count != nullptr) *each.count += plan.items;
  return {};
} catch (const error& failed) {
  return failed.why();
} catch (const std::bad_alloc&) {
  return {status_code::out_of_memory, "no memory for the CUDA engine's own lists"};
}

status reduce_each(const executor::cuda& on, const request& request,
                   const std::function<status(const answer_words&)>& take) try {
  if (const auto why = unserved(kernel_family::strided, request.plan); !why.empty())
    return refused(why);
  if (is_capturing(on)) return refused_while_captured();
  const where place = place_of(on, request);
  const device_guard here(place.device);
  run_batches(on, request, place, take);
  return {};
} catch (const error& failed) {
  return failed.why();
} catch (const std::bad_alloc&) {
  return {status_code::out_of_memory, "no memory for the CUDA engine's own lists"};
}

}  // namespace onefold::cuda
