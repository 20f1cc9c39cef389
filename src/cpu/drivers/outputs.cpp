// SPDX-License-Identifier: Apache-2.0
// Requests of several answers: chooses between strips of answers, batched kernels, transposed
// columns, and tasks for one answer at a time.
#include <algorithm>

#include "cpu/drivers/answers.hpp"
#include "cpu/drivers/blocks.hpp"
#include "cpu/drivers/columns.hpp"
#include "cpu/drivers/few.hpp"
#include "cpu/drivers/strips.hpp"
#include "cpu/engine.hpp"
#include "request/tuning.hpp"
#include "runtime/share.hpp"

namespace onefold::cpu {
namespace {

// One answer after another, each by all threads.
status one_by_one(const reduction& reduction, const answers& answers) {
  const std::int64_t items = reduction.plan.items, all = reduction.plan.outputs * items;
  for (std::int64_t k = 0; k < reduction.plan.outputs; ++k) {
    accumulation states(reduction.plan.ops, reduction.plan.input, reduction.plan.accuracy);
    const loop_origin at = origin_of(reduction.plan, k);
    auto summed = accumulate_range(reduction, at, 0, items, states, k * items, all);
    if (!summed) return summed;
    if (auto done = answers.write(states, at.index); !done) return done;
  }
  return {};
}

status by_blocks(const reduction& reduction, const answers& answers) {
  const auto& plan = reduction.plan;
  const std::int64_t block = std::clamp<std::int64_t>(
      tuning::block_items / std::max<std::int64_t>(plan.items, 1), 1, plan.outputs);
  const std::int64_t items = plan.outputs * plan.items;
  const shared_work work = {
      (plan.outputs + block - 1) / block, plan.threads, block * plan.items, items, 0, items};
  const accumulation empty(plan.ops, plan.input, plan.accuracy);
  first_failure failure;
  auto done = share(work, reduction.options, [&](auto& next) {
    answer_worker worker(reduction, empty, next);
    while (const auto piece = next()) {
      const std::int64_t end = std::min(plan.outputs, (*piece + 1) * block);
      for (std::int64_t k = *piece * block; k < end; ++k)
        if (failure.any() ||
            !failure.note(worker.reduce(origin_of(plan, k), 0, plan.items, answers)))
          return;
    }
  });
  return failure.any() ? failure.why() : done;
}

bool few_and_long(const plan& plan) {
  return plan.outputs < 4 * plan.threads && plan.items >= 4 * plan.chunk_items;
}

// Without batched kernels.
status by_tasks(const reduction& reduction, const answers& answers) {
  if (auto done = reduce_columns(reduction, answers)) return *done;
  return by_blocks(reduction, answers);
}

}  // namespace

status reduce_outputs(const reduction& reduction, std::span<const output_view> outputs) {
  const auto& plan = reduction.plan;
  const answers answers(reduction, outputs);
  if (plan.outputs == 0 || reduce_few(reduction, outputs[0])) return {};
  if (plan.outputs == 1) return one_by_one(reduction, answers);
  if (auto done = reduce_strips(reduction, answers)) return *done;
  const auto request = block_request_of(reduction, answers);
  // Columns of fast sums have a summation order of their own, which must not depend on threads.
  const bool own_order =
      request && plan.accuracy == accuracy::fast && request->shape == batched_shape::columns;
  if (few_and_long(plan) && !own_order) return one_by_one(reduction, answers);
  if (request) return reduce_blocks(reduction, *request, answers);
  return by_tasks(reduction, answers);
}

status pass_states(const reduction& reduction, const state_taker& take) {
  const auto& plan = reduction.plan;
  const answers answers(reduction, take);
  if (plan.outputs == 0) return {};
  if (plan.outputs == 1 || few_and_long(plan)) return one_by_one(reduction, answers);
  return by_tasks(reduction, answers);
}

}  // namespace onefold::cpu
