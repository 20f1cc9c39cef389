// SPDX-License-Identifier: Apache-2.0
#include "ladder/try/launch/trials.hpp"

#include "ladder/try/launch/attempt.hpp"
#include "ladder/try/launch/printed.hpp"
#include "simt/loaded_objects.hpp"

#include <algorithm>

namespace onefold::ladder::learner {
namespace {

const buffer_watch* running_watch = nullptr;

pointer_use use_of(const buffer_watch& watch, std::size_t buffer, unsigned item) {
  return {watch.read(buffer), watch.items_written(buffer),
          (watch.last_written_byte(buffer) + item - 1) / item, watch.read_again(buffer),
          watch.items_read_first(buffer)};
}

}  // namespace

std::uintptr_t last_access_pc() {
  return running_watch == nullptr ? 0 : running_watch->last_pc();
}

void launch_watched(const trial_setup& setup, simt::device& device, const buffer_watch& watch,
                    const simt::launch_config& config, const std::vector<argument>& arguments) {
  running_watch = &watch;
  forget_prints();
  setup.kernel.kernel.launch(device, config, arguments.data());
  running_watch = nullptr;
}

std::optional<number> trials::expected(const trial_launch& launch) const {
  if (!is_one_value(setup_.expectation) || setup_.of_records()) return {};
  return answers_of(setup_, launch, inputs_of(setup_, launch)).front();
}

try_run trials::run(const trial_launch& launch, simt::observer* extra, simt::counts* counts,
                    std::string* printed) {
  while (true) {
    attempt now(setup_, cleared_, launch);
    try_run result = now.run(extra);
    const std::set<std::string> more = now.to_clear();
    cleared_.insert(more.begin(), more.end());
    if (!more.empty()) continue;
    if (counts != nullptr) *counts = now.counts();
    if (printed != nullptr) *printed = printed_so_far();
    const bool again = !setup_.variables.empty() && extra == nullptr && result.clean();
    if (again && second_answer_.empty() && !setup_.in_place()) {
      second_answer_ = now.wrong_second_answer();
    }
    return result;
  }
}

std::vector<device_variable> device_variables() {
  simt::refresh_loaded_segments();
  std::vector<device_variable> variables;
  for (const simt::memory_object& o :
       simt::tagged_objects(simt::device_tag, simt::arena::alignment_bytes)) {
    const auto* const at = reinterpret_cast<const std::byte*>(o.address);
    variables.push_back({o, {at, at + o.size_bytes}});
  }
  return variables;
}

namespace {

/// So many elements: multiples of the step.
std::vector<std::byte> filling(const parameter& p, std::size_t items, int step) {
  std::vector<std::byte> bytes(items * std::max(p.bytes, size_bytes(p.type)));
  if (step == 0 || p.type == scalar::other || is_struct(p)) return bytes;
  constexpr std::size_t period = 1000;
  numbers values(items * p.lanes);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<number>(step) * static_cast<number>(1 + i % period);
  const std::vector<std::byte> made = bytes_of(layout_of(p), values);
  std::copy(made.begin(), made.end(), bytes.begin());
  return bytes;
}

std::vector<pointer_use> probed(const trial_setup& setup, int step) {
  restore(setup.variables);
  simt::device device;
  buffer_watch watch;
  const entry& kernel = setup.kernel.kernel;
  std::vector<argument> arguments(kernel.count);
  std::vector<std::size_t> pointers;
  const geometry& shape = setup.shape;
  const std::size_t lanes = shape.grid.volume() * shape.block.volume();
  const std::size_t items = std::max<std::size_t>(shape.data.volume(), lanes);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const parameter& p = kernel.parameters[i];
    if (p.kind != passed::pointer && p.kind != passed::const_pointer) {
      arguments[i] = number_argument(setup, i, shape.data);
      continue;
    }
    const unsigned item = std::max(p.bytes, size_bytes(p.type));
    const std::vector<std::byte> filled = filling(p, items, step);
    void* const at = device.memory().copy(std::span(filled), setup.kernel.names[i]);
    watch.follow({device.memory().offset_of(at), filled.size()}, item);
    watch.follow_input({device.memory().offset_of(at), filled.size()}, item);
    arguments[i].pointer = at;
    pointers.push_back(i);
  }
  device.attach(watch);
  const auto full = trial_launch::at_full(shape, simt::schedule::forward, input_kind::random);
  constexpr std::size_t widest = 2 * sizeof(double);
  launch_watched(setup, device, watch, launch_config_of(setup, full, widest), arguments);
  std::vector<pointer_use> uses(arguments.size());
  for (std::size_t k = 0; k < pointers.size(); ++k) {
    const parameter& p = kernel.parameters[pointers[k]];
    uses[pointers[k]] = use_of(watch, k, std::max(p.bytes, size_bytes(p.type)));
  }
  return uses;
}

}  // namespace

/// A kernel that stores nothing where all elements are equal may store what is greater, or less,
/// than what is there.
std::vector<pointer_use> uses_of_pointers(const trial_setup& setup) {
  const auto writes = [](const std::vector<pointer_use>& uses) {
    return std::any_of(uses.begin(), uses.end(),
                       [](const pointer_use& use) { return use.elements_written != 0; });
  };
  const std::vector<pointer_use> uses = probed(setup, 0);
  for (const int step : {1, -1}) {
    if (writes(uses)) break;
    if (auto other = probed(setup, step); writes(other)) return other;
  }
  return uses;
}

}  // namespace onefold::ladder::learner
