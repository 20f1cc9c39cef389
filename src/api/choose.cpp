// SPDX-License-Identifier: Apache-2.0
// The choice of an engine for executor::automatic, and the fallback from the GPU to the CPU.
#include "api/choose.hpp"

#include <algorithm>
#include <memory>
#include <string>

#include "cuda/engine.hpp"
#include "cuda/runtime/driver.hpp"
#include "onefold/machine.hpp"
#include "request/make.hpp"
#include "request/place.hpp"

namespace onefold {

executor beside(const executor& executor, std::initializer_list<const void*> addresses) {
  if (!executor.chooses() && executor.gpus() == nullptr) return executor;
  for (const void* address : addresses)
    if (address != nullptr && cuda::driver_has_on_device(address)) return onefold::executor::cuda{};
  return executor;
}

executor beside(const executor& executor, std::span<const array_view> views,
                std::span<const output_view> outputs, const options& options) {
  if (!executor.chooses() && executor.gpus() == nullptr) return executor;
  const auto holds = [&executor](const void* address) {
    return beside(executor, {address}) != executor;
  };
  for (const array_view& view : views)
    if (holds(view.data())) return onefold::executor::cuda{};
  for (const output_view& output : outputs)
    if (holds(output.data())) return onefold::executor::cuda{};
  return options.where ? beside(executor, {options.where->data()}) : executor;
}

choice choose(const executor& executor, const plan& plan, std::int64_t items) {
  if (!executor.chooses() || !pays_on_device(work_of(plan, items), cuda::host_transfer()))
    return {executor};
  if (!cuda::check_device({})) return {executor};
  return {onefold::executor::cuda{}, onefold::executor::cpu{}};
}

executor choose_executor(const executor& executor, const plan& plan) {
  return choose(executor, plan, 0).executor;
}

plan planned_for(const executor& executor, const plan& plan, std::span<const array_view> views) {
  return executor.gpu() ? plan_on_device(plan, views) : plan;
}

bool falls_back(const status& why) noexcept {
  return why.code() == status_code::out_of_memory || why.code() == status_code::device_error ||
         why.code() == status_code::unsupported;
}

void report_place(const options& options, const executor& executor, const status& why) {
  if (!options.placed) return;
  // A request that the engine does not support is no failure of the machine.
  if (why.ok() || why.code() == status_code::unsupported) return options.placed(executor, {});
  options.placed(executor, {why.code(), why.message() + "; the CPU reduced the data instead"});
}

options with_rising_progress(const options& options) {
  onefold::options rising = options;
  if (!options.progress) return rising;
  const auto most = std::make_shared<std::int64_t>(0);
  rising.progress = [most, report = options.progress](std::int64_t done, std::int64_t all) {
    *most = std::max(*most, done);
    report(*most, all);
  };
  return rising;
}

}  // namespace onefold
