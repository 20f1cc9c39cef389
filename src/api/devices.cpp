// SPDX-License-Identifier: Apache-2.0
#include "api/devices.hpp"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <mutex>
#include <vector>

#include "api/accumulate.hpp"
#include "cuda/engine.hpp"
#include "runtime/threads.hpp"

namespace onefold {
namespace {

// Below it another device saves less than its thread and its buffers cost: a window of host data.
constexpr std::int64_t least_part_bytes = std::int64_t(8) << 20;

// Contiguous host elements of operators whose parts merge in any order.
bool is_divisible(const reduction& reduction, const accumulation& states) {
  const plan& plan = reduction.plan;
  const auto ordered = [](const accumulator_state& state) { return state.ordered(); };
  return plan.reading == path::in_place && plan.reduced.size() == 1 && !plan.masked &&
         !reduction.converts() && !cuda::lies_on_device(reduction.x) &&
         std::none_of(states.accumulators().begin(), states.accumulators().end(), ordered);
}

// The sum of what the devices report, one call at a time.
class joint_progress {
 public:
  joint_progress(const options& options, std::int64_t before, std::int64_t all)
      : report_(options.progress), done_(before), all_(all) {}

  /// For one device, which reports its own elements from 0.
  std::function<void(std::int64_t, std::int64_t)> of_a_device() {
    if (!report_) return {};
    return [this, known = std::int64_t(0)](std::int64_t done, std::int64_t) mutable {
      const std::lock_guard lock(alone_);
      done_ += done - known;
      known = done;
      report_(done_, all_);
    };
  }

 private:
  std::mutex alone_;
  const std::function<void(std::int64_t, std::int64_t)>& report_;
  std::int64_t done_, all_;
};

// A range of the elements of a divisible request.
struct part {
  std::int64_t first, items;

  status add_to(accumulation& states, const executor::cuda& device, const reduction& whole,
                joint_progress& progress) const {
    plan own = whole.plan;
    own.items = own.reduced[0].extent = items;
    options options = whole.options;
    options.first_index += first;
    options.progress = progress.of_a_device();
    reduction mine = {whole, own, options};
    const std::int64_t bytes = first * std::int64_t(size_bytes(own.input));
    mine.x += bytes;
    if (mine.y != nullptr) mine.y += bytes;
    return accumulate(device, mine, states, 0, items);
  }
};

// How many devices have work: each has a part of at least least_part_bytes.
std::int64_t count_parts(const reduction& whole, std::size_t devices) {
  const auto item_bytes = std::int64_t(size_bytes(whole.x_type)) +
                          (whole.y != nullptr ? std::int64_t(size_bytes(whole.y_type)) : 0);
  const std::int64_t all = whole.plan.outputs * whole.plan.items;
  const std::int64_t most = std::max<std::int64_t>(1, all / (least_part_bytes / item_bytes));
  return std::min(std::int64_t(devices), most);
}

// `count` ranges of nearly one length, in their order.
std::vector<part> parts_of(std::int64_t all, std::int64_t count) {
  std::vector<part> parts;
  for (std::int64_t k = 0, first = 0; k < count; ++k) {
    const std::int64_t items = (all - first) / (count - k);
    parts.push_back({first, items});
    first += items;
  }
  return parts;
}

std::int64_t step_of(const loop_axis& axis) {
  return std::abs(axis.x_bytes);
}

// The kept axis of the longest stride; null where a reduced axis steps further, so that the parts
// of every cut would span nearly all of the memory.
const loop_axis* axis_to_cut(const plan& plan) {
  const auto shorter = [](const loop_axis& a, const loop_axis& b) {
    return step_of(a) < step_of(b);
  };
  const loop_axis* cut = std::max_element(plan.kept.begin(), plan.kept.end(), shorter);
  const loop_axis* inner = std::max_element(plan.reduced.begin(), plan.reduced.end(), shorter);
  if (cut == plan.kept.end()) return nullptr;
  return inner != plan.reduced.end() && shorter(*cut, *inner) ? nullptr : cut;
}

// The answers of a range of one kept axis, of the same outputs.
status reduce_range(const reduction& whole, std::ptrdiff_t axis, const part& range, int parts,
                    joint_progress& progress,
                    const std::function<status(const reduction&)>& reduce_part) {
  plan own = whole.plan;
  loop_axis& cut = own.kept[int(axis)];
  own.outputs = own.outputs / cut.extent * range.items;
  own.threads = std::max(1, own.threads / parts);
  own.origin.index += range.first * cut.index_items;
  cut.extent = range.items;
  options options = whole.options;
  options.progress = progress.of_a_device();
  reduction mine = {whole, own, options};
  mine.x += range.first * cut.x_bytes;
  if (mine.y != nullptr) mine.y += range.first * cut.y_bytes;
  if (mine.mask != nullptr) mine.mask += range.first * cut.mask_bytes;
  return reduce_part(mine);
}

}  // namespace

status accumulate_on_devices(const executor::devices& devices, const reduction& reduction,
                             accumulation& into, std::int64_t before, std::int64_t all) {
  const auto numbers = cuda::numbers_of(devices);
  if (!numbers) return numbers.why();
  const executor::cuda first = {.device = numbers->front()};
  const auto& plan = reduction.plan;
  const accumulation empty(plan.ops, plan.input, plan.accuracy);
  if (!is_divisible(reduction, empty)) return accumulate(first, reduction, into, before, all);
  const std::vector<part> parts = parts_of(plan.items, count_parts(reduction, numbers->size()));
  std::vector<accumulation> states(parts.size(), empty);
  std::vector<status> results(parts.size());
  joint_progress progress(reduction.options, before, all);
  run_tasks(int(parts.size()), [&](int k) {
    const auto i = std::size_t(k);
    results[i] = parts[i].add_to(states[i], {.device = (*numbers)[i]}, reduction, progress);
  });
  for (const status& result : results)
    if (!result) return result;
  for (const accumulation& each : states) into.merge(each);
  return {};
}

status
divide_answers(const executor::devices& devices, const reduction& whole,
               const std::function<status(const executor::cuda&, const reduction&)>& reduce_part) {
  const auto numbers = cuda::numbers_of(devices);
  if (!numbers) return numbers.why();
  const loop_axis* cut = axis_to_cut(whole.plan);
  const std::int64_t count =
      cut == nullptr ? 1 : std::min(cut->extent, count_parts(whole, numbers->size()));
  if (count < 2) return reduce_part({.device = numbers->front()}, whole);
  const std::ptrdiff_t axis = cut - whole.plan.kept.begin();
  const std::vector<part> parts = parts_of(cut->extent, count);
  std::vector<status> results(parts.size());
  joint_progress progress(whole.options, 0, whole.plan.outputs * whole.plan.items);
  run_tasks(int(count), [&](int k) {
    const executor::cuda device = {.device = (*numbers)[std::size_t(k)]};
    const auto on_device = [&](const reduction& mine) { return reduce_part(device, mine); };
    results[std::size_t(k)] =
        reduce_range(whole, axis, parts[std::size_t(k)], int(count), progress, on_device);
  });
  for (const status& result : results)
    if (!result) return result;
  return {};
}

}  // namespace onefold
