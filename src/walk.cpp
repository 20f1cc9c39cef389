// SPDX-License-Identifier: Apache-2.0
// A user's own reduction through the engine's loops.
#include "cpu/engine.hpp"
#include "onefold/custom.hpp"
#include "split/choose.hpp"

namespace onefold {
namespace {

// The first position is a matter of order, which this operator keeps; no other is asked for.
constexpr op in_order = op::argmin;

result<plan> plan_of(const executor& on, const array_view& x, const options& how) {
  const auto machine = cpu::this_machine(beside(on, {x.data()}), "operators of a caller");
  if (!machine) return machine.why();
  return make_walk_plan(*machine, x, how);
}

}  // namespace

result<walk_shape> walk_of(const array_view& x, const options& how) {
  const auto decided = plan_of({}, x, how);
  if (!decided) return decided.why();
  return walk_shape{decided->outputs, decided->chunks};
}

status walk(const executor& on, const array_view& x, const options& how, const piece_taker& take) {
  const auto decided = plan_of(on, x, how);
  if (!decided) return decided.why();
  return cpu::walk(cpu::reduction(*decided, std::span(&x, 1), how), take);
}

}  // namespace onefold
