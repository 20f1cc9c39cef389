// SPDX-License-Identifier: Apache-2.0
// Accumulates a request that reduces all axes, on the CPU or on a GPU.
#include "api/accumulate.hpp"

#include <new>
#include <utility>
#include <vector>

#include "api/devices.hpp"
#include "cpu/engine.hpp"
#include "runtime/float_environment.hpp"

namespace onefold {
namespace {

status accumulate_on(const executor::cuda& device, const cuda::request& request,
                     accumulation& into) {
  const float_environment sound;
  std::int64_t count = 0;
  const std::vector<cuda::target> targets = device_targets(into, request.plan.accuracy, count);
  auto done = cuda::accumulate(device, request, targets);
  if (done) into.count() += count;
  return done;
}

}  // namespace

std::vector<cuda::target> device_targets(accumulation& into, accuracy accuracy,
                                         std::int64_t& count) {
  std::vector<cuda::target> targets;
  std::int64_t* counts = &count;
  for (accumulator_state& state : into.accumulators()) {
    targets.push_back({state.accumulator, std::get_if<any_state>(&state.value),
                       std::get_if<chunk_tree>(&state.value), accuracy});
    if (state.ordered()) targets.back().count = std::exchange(counts, nullptr);
  }
  return targets;
}

status accumulate(const executor& executor, const reduction& reduction, accumulation& into,
                  std::int64_t before, std::int64_t all) try {
  if (const executor::devices* devices = executor.gpus())
    return accumulate_on_devices(*devices, reduction, into, before, all);
  if (const executor::cuda* gpu = executor.gpu())
    return accumulate_on(*gpu,
                         {reduction.plan, reduction.options, reduction.x, reduction.y, before, all,
                          reduction.mask, reduction.x_type, reduction.y_type},
                         into);
  return cpu::accumulate_range(reduction, {}, 0, reduction.plan.items, into, before, all);
} catch (const std::bad_alloc&) {
  return {status_code::out_of_memory, "no memory for the list of states"};
}

}  // namespace onefold
