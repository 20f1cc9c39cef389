// SPDX-License-Identifier: Apache-2.0
// The cost model of executor::automatic: seconds of CPU work against the copy to a GPU.
#include "request/place.hpp"

#include <algorithm>

namespace onefold {
namespace {

// Rounded from `make bench` with AVX-512; a product is assumed to cost what an exponential costs.
constexpr double costly_item_s = 1.2e-9, moments_item_s = 0.4e-9, plain_item_s = 0.1e-9;

double item_seconds(accumulator accumulator) {
  switch (accumulator) {
  case accumulator::product:
  case accumulator::exponentials:
    return costly_item_s;
  case accumulator::moments:
    return moments_item_s;
  default:
    return plain_item_s;
  }
}

}  // namespace

double item_seconds(const op_list& ops) {
  double seconds = 0;
  unsigned seen = 0;
  for (const op op : ops) {
    const unsigned bit = 1u << unsigned(accumulator_of(op));
    if ((seen & bit) == 0) seconds += item_seconds(accumulator_of(op));
    seen |= bit;
  }
  return seconds;
}

host_work work_of(const plan& plan, std::int64_t items) {
  const double all = double(std::max(items, plan.items * plan.outputs));
  const int views = inputs_of(plan.ops[0]);
  return {all * double(size_bytes(plan.input)) * views, all, item_seconds(plan.ops), plan.threads};
}

bool pays_on_device(const host_work& work, const transfer_rates& rates) noexcept {
  if (rates.link <= 0) return false;
  const double reading_s = work.bytes / (rates.memory * work.threads);
  const double computing_s = work.items * work.item_s / work.threads;
  return rates.start_s + work.bytes / rates.link < std::max(reading_s, computing_s);
}

}  // namespace onefold
