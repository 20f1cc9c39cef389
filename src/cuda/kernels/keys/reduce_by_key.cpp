// SPDX-License-Identifier: Apache-2.0
#include "cuda/kernels/keys/reduce_by_key.hpp"

#include <new>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "cuda/kernels/keys/keys.hpp"
#include "cuda/kernels/keys/sorted.hpp"
#include "cuda/kernels/keys/table_pass.hpp"
#include "cuda/kernels/segments/reduce_segments.hpp"
#include "cuda/plan/operands.hpp"
#include "cuda/runtime/device.hpp"
#include "cuda/runtime/devices.hpp"
#include "cuda/runtime/slot.hpp"
#include "request/request.hpp"

namespace onefold::cuda {
namespace {

status refused(const std::string& why) {
  return {status_code::unsupported, "the CUDA engine does not serve " + why + use_the_cpu};
}

// The counts lie in a workspace that is left as it was found: zero. All is the slot's, whose memory
// is kept: to allocate and free it takes as long as to read the keys.
class key_pass {
 public:
  key_pass(const key_list& keys, int device, const memory_source& from)
      : of_(keys), stream_(from.stream), at_(device),
        bytes_(key_words(keys.n) * sizeof(std::int64_t)) {
    at_->borrow_from(from);
  }

  key_pass(const key_pass&) = delete;
  key_pass& operator=(const key_pass&) = delete;
  ~key_pass() {
    if (!finished_) cudaStreamSynchronize(stream_);
  }

  /// The number of runs; -1 where keys fall.
  std::int64_t count() {
    words_ = static_cast<std::int64_t*>(at_->workspace(bytes_));
    heads_ = at_->scratch(key_bytes(of_));
    check_launch(launch_key_counts(of_, words_, heads_, stream_));
    check(cudaMemcpyAsync(at_->device_words(), words_ + key_words(of_.n) - 2,
                          2 * sizeof(std::int64_t), cudaMemcpyDefault, stream_),
          "copying the number of runs from the device");
    check(cudaStreamSynchronize(stream_), "counting runs on the device");
    return at_->words()[1] != 0 ? -1 : at_->words()[0];
  }
  /// Enqueues what writes the offsets, which are there until the end.
  std::span<const std::int64_t> write(std::int64_t runs, void* keys) {
    const std::size_t ends = std::size_t(runs) + 1;
    at_->reserve_window(ends * sizeof(std::int64_t), false);
    auto* const offsets = reinterpret_cast<std::int64_t*>(at_->buffer());
    check_launch(launch_key_runs(of_, words_, heads_, offsets, keys, stream_));
    clear();
    return {offsets, ends};
  }
  /// Enqueues what leaves the workspace as it was.
  void clear() { check(cudaMemsetAsync(words_, 0, bytes_, stream_), "clearing the workspace"); }
  /// Precondition: the workspace is cleared.
  status complete(status with) {
    check(cudaStreamSynchronize(stream_), "writing runs on the device");
    finished_ = true;
    at_.give_back();
    return with;
  }

 private:
  const key_list& of_;
  cudaStream_t stream_;
  borrowed_slot at_;
  std::size_t bytes_;
  std::int64_t* words_ = nullptr;
  std::byte* heads_ = nullptr;
  bool finished_ = false;
};

status check_keys(const array_view& keys) {
  const auto width = std::int64_t(size_bytes(keys.type()));
  const axis_layout& axis = keys.axes()[0];
  const bool dense = axis.extent <= 1 || axis.stride_bytes == width;
  if (!dense || reinterpret_cast<std::uintptr_t>(keys.data()) % std::uintptr_t(width) != 0)
    return refused("keys that do not lie side by side, or off a multiple of their size");
  if (memory_of(keys.data()).kind != memory::device)
    return refused("keys in host memory (copy them to the device)");
  return {};
}

// Of keys that do not ascend the elements are read here.
status check_elements(const request& request, int device) {
  const memory_facts x = memory_of(request.x);
  if (!are_dense_elements(request) || x.kind != memory::device || x.device != device)
    return refused("keys that do not ascend, with elements that do not lie side by side in the "
                   "memory of their device");
  return {};
}

// Of keys that ascend; nothing where they do not. `sorted`: where elements are from, or null.
std::optional<status> reduce_runs(const key_call& by, const request& request, const key_list& keys,
                                  std::int64_t first_index, const sorted_elements* sorted) {
  key_pass pass(keys, by.device, by.from);
  const std::int64_t runs = pass.count();
  const auto refuse = [&](status why) {
    pass.clear();
    return pass.complete(std::move(why));
  };
  if (runs < 0) {
    if (auto done = refuse({}); !done) return done;
    return std::nullopt;
  }
  const auto outputs = by.make(runs);
  if (!outputs) return refuse(outputs.why());
  if (memory_of(outputs->keys).kind != memory::device)
    return refuse(refused("keys of groups in host memory (give it device memory)"));
  const auto offsets = pass.write(runs, outputs->keys);
  status done = reduce_segments(by.on, request, offsets, outputs->answers);
  if (sorted != nullptr && done && reports_positions(request.plan.ops))
    sorted->restore_positions(static_cast<std::int64_t*>(outputs->answers.data()), runs,
                              first_index);
  return pass.complete(std::move(done));
}

status reduce_sorted(const key_call& by, const request& given, const key_list& keys) {
  const sorted_elements sorted(keys, given.x, size_bytes(given.plan.input), by.from);
  options how = given.options;
  how.first_index = 0;
  const request now = {given.plan, how,        sorted.elements(), nullptr,     given.before,
                       given.all,  given.mask, given.x_type,      given.y_type};
  if (auto done = reduce_runs(by, now, sorted.keys(), given.options.first_index, &sorted))
    return *done;
  return {status_code::mismatch,
          "keys changed while they were sorted; wait for what writes them, or use its stream"};
}

}  // namespace

status reduce_by_key(const executor::cuda& on, const request& request, const array_view& keys,
                     const outputs_maker& make) try {
  if (auto fine = check_device(on); !fine) return fine;
  const std::int64_t n = request.plan.items;
  if (n == 0) return make(0).why();
  if (auto fine = check_keys(keys); !fine) return fine;
  if (request.options.stop.stop_requested())
    return {status_code::cancelled, "the caller asked to stop"};
  const int device = memory_of(keys.data()).device;
  const device_guard guard(device);
  const key_list list = {keys.data(), n, kind_of(keys.type())};
  const key_call by = {on, device, {on.memory, static_cast<cudaStream_t>(on.stream)}, make};
  if (auto done = reduce_runs(by, request, list, 0, nullptr)) return *done;
  if (auto fine = check_elements(request, device); !fine) return fine;
  if (auto done = reduce_in_table(by, request, list)) return *done;
  return reduce_sorted(by, request, list);
} catch (const error& failed) {
  return failed.why();
} catch (const std::bad_alloc&) {
  return {status_code::out_of_memory, "no memory for the CUDA engine's own lists"};
}

}  // namespace onefold::cuda
