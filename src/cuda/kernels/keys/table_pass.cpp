// SPDX-License-Identifier: Apache-2.0
#include "cuda/kernels/keys/table_pass.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include "cuda/kernels/keys/sort.hpp"
#include "cuda/kernels/keys/table.hpp"
#include "cuda/plan/operands.hpp"
#include "cuda/runtime/device.hpp"
#include "cuda/runtime/devices.hpp"
#include "cuda/runtime/slot.hpp"
#include "request/layout.hpp"

namespace onefold::cuda {
namespace {

constexpr std::int64_t most_tabled = std::int64_t(1) << 31;  // elements

constexpr std::size_t aligned(std::size_t bytes) {
  return (bytes + device_alignment - 1) / device_alignment * device_alignment;
}
constexpr std::size_t extents_bytes = aligned(sizeof(key_extents));

bool has_table(const request& request) {
  const auto& plan = request.plan;
  const bool is_sum = plan.ops[0] == op::sum || plan.ops[0] == op::mean;
  return is_sum && is_floating(plan.input) && !plan.masked && !request.options.initial &&
         plan.items <= most_tabled;
}

// The launches, with a workspace that is left as it was found: zero.
class table_pass {
 public:
  table_pass(const key_call& by, const key_elements& elements)
      : by_(by), of_(elements), stream_(by.from.stream), at_(by.device) {
    at_->borrow_from(by.from);
  }
  table_pass(const table_pass&) = delete;
  table_pass& operator=(const table_pass&) = delete;
  ~table_pass() {
    if (!finished_) cudaStreamSynchronize(stream_);
  }

  key_extents extents() {
    workspace_ = static_cast<std::byte*>(at_->workspace(bytes_ = extents_bytes));
    check_launch(launch_key_extents(of_, reinterpret_cast<key_extents*>(workspace_),
                                    multiprocessors_of(by_.device), stream_));
    copy_words(workspace_, sizeof(key_extents));
    key_extents found;
    std::memcpy(&found, at_->words(), sizeof found);
    clear();
    return found;
  }
  /// How many slots have elements.
  std::int64_t add(const key_table& table) {
    table_ = table;
    std::size_t scratch_bytes = 0;
    check_launch(ask_offsets(table.slots + 1, scratch_bytes));
    std::byte* const scratch = place(scratch_bytes);
    check_launch(launch_key_sums(of_, table_, scratch, scratch_bytes,
                                 multiprocessors_of(by_.device), stream_));
    copy_words(table_.places + table_.slots, sizeof(std::int64_t));
    return at_->words()[0];
  }
  void write(bool is_mean, const group_outputs& to) {
    check_launch(launch_key_answers(of_, table_, is_mean, to.answers.type(), to.answers.data(),
                                    to.keys, stream_));
  }
  status complete(status with) {
    clear();
    check(cudaStreamSynchronize(stream_), "adding by key on the device");
    finished_ = true;
    at_.give_back();
    return with;
  }

 private:
  void copy_words(const void* from, std::size_t bytes) {
    check(cudaMemcpyAsync(at_->device_words(), from, bytes, cudaMemcpyDefault, stream_),
          "copying what was found from the device");
    check(cudaStreamSynchronize(stream_), "adding by key on the device");
  }
  // Memory for the table; returns the scratch bytes.
  std::byte* place(std::size_t scratch_bytes) {
    const auto slots = std::size_t(table_.slots);
    const auto words = std::size_t(table_.copies) * std::size_t(table_.copy_words());
    const std::size_t sums = aligned(words * sizeof(std::int64_t)),
                      marks = aligned((slots + 1) * sizeof(std::uint32_t)),
                      places = aligned((slots + 1) * sizeof(std::int64_t)),
                      decided = aligned(slots);
    workspace_ = static_cast<std::byte*>(at_->workspace(bytes_ = sums + 2 * marks));
    table_.sums = reinterpret_cast<std::int64_t*>(workspace_);
    table_.present = reinterpret_cast<std::uint32_t*>(workspace_ + sums);
    table_.not_minus_zero = reinterpret_cast<std::uint32_t*>(workspace_ + sums + marks);
    std::byte* const scratch = at_->scratch(places + decided + scratch_bytes);
    table_.places = reinterpret_cast<std::int64_t*>(scratch);
    table_.decided = reinterpret_cast<std::uint8_t*>(scratch + places);
    return scratch + places + decided;
  }
  void clear() { check(cudaMemsetAsync(workspace_, 0, bytes_, stream_), "clearing the workspace"); }

  const key_call& by_;
  const key_elements& of_;
  cudaStream_t stream_;
  borrowed_slot at_;
  key_table table_;
  std::byte* workspace_ = nullptr;
  std::size_t bytes_ = 0;
  bool finished_ = false;
};

status check_outputs(const group_outputs& to, const request& request) {
  const auto refused = [](const std::string& why) -> status {
    return {status_code::unsupported, "the CUDA engine does not serve " + why + use_the_cpu};
  };
  const dtype type = to.answers.type();
  if (memory_of(to.keys).kind != memory::device)
    return refused("keys of groups in host memory (give it device memory)");
  if (memory_of(to.answers.data()).kind != memory::device)
    return refused("answers of groups in host memory (give them device memory)");
  if (!is_floating(type))
    return refused("groups of " + std::string(name(request.plan.ops[0])) + " of " +
                   std::string(name(request.plan.input)) + " to " + std::string(name(type)));
  if (!is_dense(to.answers))
    return refused("groups whose answers do not lie side by side, or off a multiple of their size");
  return {};
}

}  // namespace

std::optional<status> reduce_in_table(const key_call& by, const request& request,
                                      const key_list& keys) {
  if (!has_table(request)) return std::nullopt;
  const key_elements elements = {keys, request.x, request.plan.input};
  table_pass pass(by, elements);
  const auto table = table_for(request.plan.input, request.plan.items,
                               request.plan.ops[0] == op::mean, pass.extents());
  if (!table) {
    if (auto done = pass.complete({}); !done) return done;
    return std::nullopt;
  }
  const auto outputs = by.make(pass.add(*table));
  if (!outputs) return pass.complete(outputs.why());
  if (auto fine = check_outputs(*outputs, request); !fine) return pass.complete(std::move(fine));
  pass.write(request.plan.ops[0] == op::mean, *outputs);
  status done = pass.complete({});
  if (done && request.options.progress)
    request.options.progress(request.plan.items, request.plan.items);
  return done;
}

}  // namespace onefold::cuda
