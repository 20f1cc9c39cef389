// SPDX-License-Identifier: Apache-2.0
// The front door's way through the house: view, plan, engine, state, finish.
#include <string>

#include "cpu/engine.hpp"
#include "cpu/float_environment.hpp"
#include "finish/fast.hpp"
#include "onefold/onefold.hpp"

namespace onefold {
namespace {

status one_view(std::size_t views) {
  return {status_code::mismatch, "sum takes one view, not " + std::to_string(views)};
}

status reduce_exact(const plan& decided, const array_view& x, output_view output) {
  state sum(decided.what, decided.input);
  if (auto done = cpu::add_exact(decided, x.data(), sum); !done) return done;
  return sum.write(output.data(), output.type());
}

status reduce_fast(const plan& decided, const array_view& x, output_view output) {
  auto sum = cpu::make_fast_sum(decided.input);
  if (auto done = cpu::add_fast(decided, x.data(), sum); !done) return done;
  const cpu::float_environment sound;
  return write_fast(sum, decided.input, output.data(), output.type());
}

}  // namespace

result<plan> make_plan(const executor& where, op what, const array_view& x, const options& how) {
  const auto on = cpu::this_machine(where.threads());
  if (!on) return on.why();
  return make_plan(*on, what, x, how);
}

status reduce(const executor& where, op what, std::initializer_list<array_view> views,
              output_view output, const options& how) {
  if (views.size() != 1) return one_view(views.size());
  const array_view& x = *views.begin();
  const auto decided = make_plan(where, what, x, how);
  if (!decided) return decided.why();
  return how.how == accuracy::exact ? reduce_exact(*decided, x, output)
                                    : reduce_fast(*decided, x, output);
}

result<state> try_partial(const executor& where, op what, const array_view& x) {
  const auto decided = make_plan(where, what, x);
  if (!decided) return decided.why();
  state sum(what, x.type());
  if (auto done = cpu::add_exact(*decided, x.data(), sum); !done) return done;
  return sum;
}

}  // namespace onefold
