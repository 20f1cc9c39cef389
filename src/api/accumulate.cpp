// SPDX-License-Identifier: Apache-2.0
// Accumulates a request that reduces all axes, on the CPU or on a GPU.
#include "api/accumulate.hpp"

#include <new>
#include <utility>
#include <vector>

#include "cpu/engine.hpp"
#include "runtime/float_environment.hpp"

namespace onefold {
namespace {

status accumulate_on(const executor::cuda& on, const cuda::request& of, accumulation& into) {
  const float_environment sound;
  cuda::elements_taken taken;
  const std::vector<cuda::target> targets = device_targets(into, of.plan.accuracy, taken);
  auto done = cuda::accumulate(on, of, targets);
  if (done) into.count() += taken.count, into.dropped_nans() += taken.dropped_nans;
  return done;
}

}  // namespace

std::vector<cuda::target> device_targets(accumulation& into, accuracy how,
                                         cuda::elements_taken& taken) {
  std::vector<cuda::target> made;
  cuda::elements_taken* counts = &taken;
  for (accumulator_state& each : into.accumulators()) {
    made.push_back({each.what, std::get_if<any_state>(&each.value),
                    std::get_if<chunk_tree>(&each.value), how});
    if (each.ordered()) made.back().taken = std::exchange(counts, nullptr);
  }
  return made;
}

status accumulate(const executor& on, const reduction& of, accumulation& into, std::int64_t before,
                  std::int64_t all) try {
  if (const executor::cuda* gpu = on.gpu())
    return accumulate_on(
        *gpu, {of.plan, of.options, of.x, of.y, before, all, of.mask, of.x_type, of.y_type}, into);
  return cpu::accumulate_range(of, {}, 0, of.plan.items, into, before, all);
} catch (const std::bad_alloc&) {
  return {status_code::out_of_memory, "no memory for the list of states"};
}

}  // namespace onefold
