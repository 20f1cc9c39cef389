// SPDX-License-Identifier: Apache-2.0
// The choice of an engine for executor::automatic, and the fallback from the GPU to the CPU.
#include "api/choose.hpp"

#include <algorithm>
#include <memory>
#include <string>

#include "cuda/driver.hpp"
#include "cuda/engine.hpp"
#include "onefold/machine.hpp"
#include "request/place.hpp"

namespace onefold {

executor beside(const executor& on, std::initializer_list<const void*> addresses) {
  if (!on.chooses()) return on;
  for (const void* each : addresses)
    if (each != nullptr && cuda::driver_has_on_device(each)) return executor::cuda{};
  return on;
}

executor beside(const executor& on, std::span<const array_view> views,
                std::span<const output_view> outputs, const options& how) {
  if (!on.chooses()) return on;
  for (const array_view& each : views)
    if (const executor there = beside(on, {each.data()}); there.gpu()) return there;
  for (const output_view& each : outputs)
    if (const executor there = beside(on, {each.data()}); there.gpu()) return there;
  return how.where ? beside(on, {how.where->data()}) : on;
}

choice choose(const executor& on, const plan& plan, std::int64_t items) {
  if (!on.chooses() || !pays_on_device(work_of(plan, items), cuda::host_transfer())) return {on};
  if (!cuda::check_device({})) return {on};
  return {executor::cuda{}, executor::cpu{}};
}

executor choose_executor(const executor& on, const plan& plan) {
  return choose(on, plan, 0).on;
}

bool falls_back(const status& why) noexcept {
  return why.code() == status_code::out_of_memory || why.code() == status_code::device_error ||
         why.code() == status_code::unsupported;
}

void report_place(const options& how, const executor& on, const status& why) {
  if (!how.placed) return;
  // A request that the engine does not support is no failure of the machine.
  if (why.ok() || why.code() == status_code::unsupported) return how.placed(on, {});
  how.placed(on, {why.code(), why.message() + "; the CPU reduced the data instead"});
}

options with_rising_progress(const options& how) {
  options made = how;
  if (!how.progress) return made;
  const auto most = std::make_shared<std::int64_t>(0);
  made.progress = [most, report = how.progress](std::int64_t done, std::int64_t all) {
    *most = std::max(*most, done);
    report(*most, all);
  };
  return made;
}

}  // namespace onefold
