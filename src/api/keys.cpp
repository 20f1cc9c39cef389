// SPDX-License-Identifier: Apache-2.0
// onefold::reduce_by_key: checks the keys and calls the engine of the executor.
#include "onefold/keys.hpp"

#include <string>

#include "api/choose.hpp"
#include "cpu/drivers/keys/key_outputs.hpp"
#include "cpu/drivers/keys/keys.hpp"
#include "cpu/engine.hpp"
#include "cuda/engine.hpp"
#include "request/request.hpp"

namespace onefold {
namespace {

status check_keys(op op, const array_view& keys, const array_view& values) {
  if (inputs_of(op) != 1)
    return {status_code::unsupported,
            std::string(name(op)) + " by key is not there; multiply first (reduce_mapped)"};
  if (is_floating(keys.type()))
    return {status_code::unsupported,
            "keys of " + std::string(name(keys.type())) +
                ": zeros of two signs and NaNs have no one meaning as keys; give integers, such "
                "as the bits of these (std::bit_cast)"};
  if (keys.rank() != 1 || values.rank() != 1)
    return {status_code::mismatch, "keys and values are of one axis each; the views have " +
                                       std::to_string(keys.rank()) + " and " +
                                       std::to_string(values.rank())};
  const std::int64_t n = keys.axes()[0].extent, items = values.axes()[0].extent;
  if (n == items) return {};
  return {status_code::mismatch, "there are " + std::to_string(n) + " keys for " +
                                     std::to_string(items) + " values; give one for each"};
}

}  // namespace

status reduce_by_key(const executor& requested, op op, const array_view& keys,
                     const array_view& values, const group_maker& make,
                     const options& options) try {
  if (auto fine = check_no_device_options(options); !fine) return fine;
  if (!options.axes.all() || options.keepdims)
    return {status_code::unsupported,
            "groups are of one axis and have one answer each; leave out options::axes and "
            "options::keepdims"};
  const executor executor = beside(requested, {keys.data(), values.data()});
  const auto machine = cpu::this_machine(executor.threads());
  if (!machine) return machine.why();
  if (auto fine = check_keys(op, keys, values); !fine) return fine;
  const auto made = make_segments_plan(*machine, op, values, options);
  if (!made) return made.why();
  const plan plan = planned_for(executor, *made, std::span(&values, 1));
  const reduction reduction(plan, std::span(&values, 1), options);
  if (!executor.gpu()) return cpu::reduce_by_key(reduction, keys, make);
  if (auto fine = check_no_counts(options, "on a GPU"); !fine) return fine;
  return cuda::reduce_by_key(
      *executor.gpu(), {plan, options, reduction.x}, keys,
      [&](std::int64_t groups) { return cpu::make_outputs(reduction, groups, make); });
} catch (...) {
  return detail::memory_refused();
}

}  // namespace onefold
