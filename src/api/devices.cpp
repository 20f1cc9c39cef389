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
// Elements of an answer in a part whose states are merged: the states of all answers are then small
// next to the elements.
constexpr std::int64_t least_part_items = 4096;

struct range {
  std::int64_t first, items;
};

// `count` ranges of nearly one length, in their order.
std::vector<range> ranges_of(std::int64_t all, std::int64_t count) {
  std::vector<range> ranges;
  for (std::int64_t k = 0, first = 0; k < count; ++k) {
    const std::int64_t items = (all - first) / (count - k);
    ranges.push_back({first, items});
    first += items;
  }
  return ranges;
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

// A part of a request: a range of a kept axis, of the outermost reduced axis, or of both.
class partial_request {
 public:
  partial_request(const reduction& whole, joint_progress& progress, std::int64_t parts)
      : plan_(whole.plan), options_(whole.options), part_(whole, plan_, options_) {
    plan_.threads = std::max(1, plan_.threads / int(parts));
    options_.progress = progress.of_a_device();
  }
  partial_request(const partial_request&) = delete;
  partial_request& operator=(const partial_request&) = delete;

  void keep_answers(int axis, const range& range) {
    loop_axis& cut = plan_.kept[axis];
    plan_.outputs = plan_.outputs / cut.extent * range.items;
    plan_.origin.index += range.first * cut.index_items;
    cut_axis(cut, range);
  }
  void keep_elements(const range& range) {
    loop_axis& cut = plan_.reduced[0];
    const std::int64_t inner = plan_.items / cut.extent;
    plan_.items = inner * range.items;
    options_.first_index += inner * range.first;
    cut_axis(cut, range);
  }
  const reduction& get() const { return part_; }

 private:
  void cut_axis(loop_axis& axis, const range& range) {
    axis.extent = range.items;
    part_.x += range.first * axis.x_bytes;
    if (part_.y != nullptr) part_.y += range.first * axis.y_bytes;
    if (part_.mask != nullptr) part_.mask += range.first * axis.mask_bytes;
  }

  plan plan_;
  options options_;
  reduction part_;
};

// How many devices have work: each has a part of at least least_part_bytes.
std::int64_t count_parts(const reduction& whole, std::size_t devices) {
  const auto item_bytes = std::int64_t(size_bytes(whole.x_type)) +
                          (whole.y != nullptr ? std::int64_t(size_bytes(whole.y_type)) : 0);
  const std::int64_t all = whole.plan.outputs * whole.plan.items;
  const std::int64_t most = std::max<std::int64_t>(1, all / (least_part_bytes / item_bytes));
  return std::min(std::int64_t(devices), most);
}

std::int64_t step_of(const loop_axis& axis) {
  return std::abs(axis.x_bytes);
}

bool is_shorter(const loop_axis& a, const loop_axis& b) {
  return step_of(a) < step_of(b);
}

// Whether ranges of the outermost reduced axis are ranges of memory, as far as the reduced axes go,
// and have states that merge in any order.
bool has_divisible_elements(const plan& plan, const accumulation& states) {
  const loop_nest& axes = plan.reduced;
  const auto ordered = [](const accumulator_state& state) { return state.ordered(); };
  return !axes.empty() && std::max_element(axes.begin(), axes.end(), is_shorter) == axes.begin() &&
         std::none_of(states.accumulators().begin(), states.accumulators().end(), ordered);
}

// How a request of several answers is cut.
struct division {
  std::int64_t count = 1;  ///< of the parts
  int axis = -1;           ///< the kept axis that is cut; -1: none
  bool elements = false;   ///< the outermost reduced axis is cut too, below that kept axis
};

// The kept axis of the longest step is cut, if no reduced axis has a longer one: the parts would
// span nearly all of the memory. Otherwise, and if that axis has too few indices, elements are.
division division_of(const reduction& whole, std::size_t devices) {
  const plan& plan = whole.plan;
  const std::int64_t count = count_parts(whole, devices);
  const loop_axis* cut = std::max_element(plan.kept.begin(), plan.kept.end(), is_shorter);
  const auto is_outside = [&](const loop_axis& axis) { return is_shorter(*cut, axis); };
  if (cut != plan.kept.end() && std::any_of(plan.reduced.begin(), plan.reduced.end(), is_outside))
    cut = plan.kept.end();
  const bool has_axis = cut != plan.kept.end();
  const std::int64_t rows = has_axis ? cut->extent : 1;
  const int axis = has_axis ? int(cut - plan.kept.begin()) : -1;
  if (count < 2 || rows >= count) return {std::min(count, rows), axis, false};
  const auto is_above = [&](const loop_axis& each) {
    return &each != cut && is_shorter(plan.reduced[0], each);
  };
  const accumulation empty(plan.ops, plan.input, plan.accuracy);
  if (has_divisible_elements(plan, empty) && plan.items / count >= least_part_items &&
      rows * plan.reduced[0].extent >= count &&
      std::none_of(plan.kept.begin(), plan.kept.end(), is_above))
    return {count, axis, true};
  return {rows, axis, false};
}

// The elements of a range of the pairs of a row and an index of the outermost reduced axis.
status take_elements(const reduction& whole, const division& by, const range& pairs,
                     joint_progress& progress, const executor::cuda& device,
                     const part_taker& add_part) {
  const std::int64_t extent = whole.plan.reduced[0].extent, end = pairs.first + pairs.items;
  for (std::int64_t at = pairs.first, n = 0; at < end; at += n) {
    const std::int64_t first = at % extent;
    n = std::min(extent - first, end - at);
    partial_request part(whole, progress, by.count);
    if (by.axis >= 0) part.keep_answers(by.axis, {at / extent, 1});
    part.keep_elements({first, n});
    if (auto done = add_part(device, part.get()); !done) return done;
  }
  return {};
}

// Calls work(k) for the parts, all at once. Fails: as the first that fails.
status run_parts(std::int64_t count, const std::function<status(std::size_t)>& work) {
  std::vector<status> results(static_cast<std::size_t>(count));
  run_tasks(int(count), [&](int k) { results[std::size_t(k)] = work(std::size_t(k)); });
  for (const status& result : results)
    if (!result) return result;
  return {};
}

}  // namespace

status accumulate_on_devices(const executor::devices& devices, const reduction& whole,
                             accumulation& into, std::int64_t before, std::int64_t all) {
  const auto numbers = cuda::numbers_of(devices);
  if (!numbers) return numbers.why();
  const auto& plan = whole.plan;
  const accumulation empty(plan.ops, plan.input, plan.accuracy);
  std::int64_t count = count_parts(whole, numbers->size());
  if (!has_divisible_elements(plan, empty) || cuda::lies_on_device(whole.x)) count = 1;
  if (count > 1) count = std::min(count, plan.reduced[0].extent);
  if (count < 2)
    return accumulate(executor::cuda{.device = numbers->front()}, whole, into, before, all);
  const std::vector<range> ranges = ranges_of(plan.reduced[0].extent, count);
  std::vector<accumulation> states(ranges.size(), empty);
  joint_progress progress(whole.options, before, all);
  auto done = run_parts(count, [&](std::size_t k) {
    partial_request part(whole, progress, count);
    part.keep_elements(ranges[k]);
    return accumulate(executor::cuda{.device = (*numbers)[k]}, part.get(), states[k], 0,
                      part.get().plan.items);
  });
  if (!done) return done;
  for (const accumulation& each : states) into.merge(each);
  return {};
}

status divide_answers(const executor::devices& devices, const reduction& whole,
                      const part_taker& reduce_part, const part_taker& add_part) {
  const auto numbers = cuda::numbers_of(devices);
  if (!numbers) return numbers.why();
  const division by = division_of(whole, numbers->size());
  if (by.count < 2) return reduce_part({.device = numbers->front()}, whole);
  const std::int64_t rows = by.axis >= 0 ? whole.plan.kept[by.axis].extent : 1;
  const std::vector<range> ranges =
      ranges_of(by.elements ? rows * whole.plan.reduced[0].extent : rows, by.count);
  joint_progress progress(whole.options, 0, whole.plan.outputs * whole.plan.items);
  return run_parts(by.count, [&](std::size_t k) {
    const executor::cuda device = {.device = (*numbers)[k]};
    if (by.elements) return take_elements(whole, by, ranges[k], progress, device, add_part);
    partial_request part(whole, progress, by.count);
    part.keep_answers(by.axis, ranges[k]);
    return reduce_part(device, part.get());
  });
}

}  // namespace onefold
