// SPDX-License-Identifier: Apache-2.0
#include "api/devices.hpp"

#include <algorithm>
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

// Ranges of nearly one length, in their order.
std::vector<part> parts_of(const reduction& whole, std::size_t devices) {
  const std::int64_t all = whole.plan.items;
  const auto item_bytes = std::int64_t(size_bytes(whole.plan.input)) * (whole.y != nullptr ? 2 : 1);
  const std::int64_t most = std::max<std::int64_t>(1, all / (least_part_bytes / item_bytes));
  const std::int64_t count = std::min(std::int64_t(devices), most);
  std::vector<part> parts;
  for (std::int64_t k = 0, first = 0; k < count; ++k) {
    const std::int64_t items = (all - first) / (count - k);
    parts.push_back({first, items});
    first += items;
  }
  return parts;
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
  const std::vector<part> parts = parts_of(reduction, numbers->size());
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

}  // namespace onefold
