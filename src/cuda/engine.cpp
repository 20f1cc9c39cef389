// SPDX-License-Identifier: Apache-2.0
// Accumulation of elements on the GPU: chooses between one launch, windows of host data, and
// strided kernels.
#include "cuda/engine.hpp"

#include <new>
#include <vector>

#include "cuda/device.hpp"
#include "cuda/full/full.hpp"
#include "cuda/host_windows.hpp"
#include "cuda/kernel_table.hpp"
#include "cuda/nested/pass.hpp"
#include "cuda/pass.hpp"

namespace onefold::cuda {
namespace {

void accumulate_at_once(const executor::cuda& on, const request& of, int device,
                        std::span<const target> into) {
  if (of.options.stop.stop_requested())
    throw error({status_code::cancelled, "the caller asked to stop"});
  borrowed_slot at(device);
  auto* const stream = static_cast<cudaStream_t>(on.stream);
  at->borrow_from({on.memory, stream});
  const device_range all = {of.x, of.y, of.plan.items, of.options.first_index};
  launch_all(*at, all, of.plan.input, into, stream);
  check(cudaStreamSynchronize(stream), "reducing on the device");
  merge_all(*at, all, of.plan.input, into);
  at.give_back();
  if (of.options.progress) of.options.progress(of.before + of.plan.items, of.all);
}

status refused(const std::string& what) {
  return {status_code::unsupported, "the CUDA engine does not serve " + what + use_the_cpu};
}

status refused_while_captured() {
  return {status_code::unsupported,
          "states and answers of the host cannot be made while the stream is captured; do it "
          "outside the capture, or let the answers stay in device memory"};
}

status accumulate_scattered(const executor::cuda& on, const request& of,
                            std::span<const accumulator> accumulators,
                            std::span<const target> into) {
  return reduce_each(on, of, accumulators, [&](const answer_words& words) {
    words.add_to(0, into);
    return status();
  });
}

}  // namespace

status accumulate(const executor::cuda& on, const request& of, std::span<const target> into) try {
  std::vector<accumulator> accumulators;
  for (const target& each : into) accumulators.push_back(each.what);
  if (of.plan.reading == path::packed) return accumulate_scattered(on, of, accumulators, into);
  const auto what = unserved(kernel_family::full, of.plan, accumulators);
  if (!what.empty()) return refused(what);
  if (is_capturing(on)) return refused_while_captured();
  const where at = place_of(on, of);
  if (of.plan.items == 0) return {};
  const device_guard here(at.device);
  if (at.kind == memory::device)
    accumulate_at_once(on, of, at.device, into);
  else
    accumulate_windows(on, of, at, into);
  for (const target& each : into)
    if (each.count != nullptr) *each.count += of.plan.items;
  return {};
} catch (const error& failed) {
  return failed.why();
} catch (const std::bad_alloc&) {
  return {status_code::out_of_memory, "no memory for the CUDA engine's own lists"};
}

status reduce_each(const executor::cuda& on, const request& of,
                   std::span<const accumulator> accumulators,
                   const std::function<status(const answer_words&)>& take) try {
  const auto what = unserved(kernel_family::strided, of.plan, accumulators);
  if (!what.empty()) return refused(what);
  if (is_capturing(on)) return refused_while_captured();
  const where at = place_of(on, of);
  const device_guard here(at.device);
  run_batches(on, of, at, accumulators, take);
  return {};
} catch (const error& failed) {
  return failed.why();
} catch (const std::bad_alloc&) {
  return {status_code::out_of_memory, "no memory for the CUDA engine's own lists"};
}

}  // namespace onefold::cuda
