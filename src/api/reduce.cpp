// SPDX-License-Identifier: Apache-2.0
// The entry points reduce and partial: views to a plan, an engine, a state, and a rounded answer.
#include <algorithm>
#include <new>
#include <span>
#include <string>
#include <vector>

#include "api/accumulate.hpp"
#include "api/answers_on_device.hpp"
#include "api/choose.hpp"
#include "api/prepare.hpp"
#include "cpu/drivers/answers.hpp"
#include "cpu/drivers/blocks.hpp"
#include "cpu/drivers/few.hpp"
#include "cpu/engine.hpp"
#include "cuda/engine.hpp"
#include "cuda/runtime/driver.hpp"
#include "onefold/onefold.hpp"
#include "request/reach.hpp"
#include "request/request.hpp"

namespace onefold {
namespace {

// A host buffer for one answer that is then copied to an output in device memory.
struct host_place {
  alignas(16) std::byte bytes[16] = {};
};

// Rounds the answer on the host; an output in device memory gets a copy at the end.
status reduce_on_device(const executor& executor, const reduction& reduction,
                        std::span<const output_view> outputs) {
  const auto& plan = reduction.plan;
  if (plan.outputs != 1) return reduce_answers_on_device(executor, reduction, outputs);
  accumulation states(plan.ops, plan.input, plan.accuracy);
  if (auto done = accumulate(executor, reduction, states, 0, plan.items); !done) return done;
  std::vector<host_place> places(outputs.size());
  std::vector<output_view> hosts;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const output_view& output = outputs[i];
    if (cuda::lies_on_device(output.data()))
      hosts.emplace_back(places[i].bytes, output.type(), output.axes());
    else
      hosts.push_back(output);
  }
  if (auto done = cpu::answers(reduction, hosts).write(states, 0); !done) return done;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (hosts[i].data() == outputs[i].data()) continue;
    const std::size_t bytes =
        std::size_t(answers_of(plan.ops[int(i)])) * size_bytes(outputs[i].type());
    auto done = cuda::copy_to_device(*executor.gpu(), outputs[i].data(), places[i].bytes, bytes);
    if (!done) return done;
  }
  return {};
}

// Reduces asynchronously on the device where it can; otherwise through the host, which then writes
// options::status_out.
status reduce_on_gpu(const executor& executor, const reduction& reduction,
                     std::span<const output_view> outputs) {
  if (auto done = cuda::reduce_asynchronously(*executor.gpu(), request_of(reduction), outputs))
    return *done;
  auto done = reduce_on_device(executor, reduction, outputs);
  if (reduction.options.status_out == nullptr) return done;
  const auto code = std::int32_t(done.code());
  auto copied =
      cuda::copy_to_device(*executor.gpu(), reduction.options.status_out, &code, sizeof code);
  return done ? copied : done;
}

status check_has_states(const options& options) {
  if (options.accuracy == accuracy::fast)
    return {status_code::unsupported, "a fast reduction has no state; ask for an exact one"};
  if (options.initial)
    return {status_code::unsupported,
            "a state takes no initial value, which would count once a part; merge a state of it"};
  return check_no_device_options(options);
}

result<state> state_on(const executor& executor, const reduction& reduction, op op, dtype input) {
  if (executor.gpu() == nullptr) {
    state state(op, input, reduction.options.first_index);
    if (auto done = cpu::add_to(reduction, state); !done) return done;
    return state;
  }
  const auto& plan = reduction.plan;
  accumulation states(plan.ops, plan.input, plan.accuracy);
  if (auto done = accumulate(executor, reduction, states, 0, plan.items); !done) return done;
  return state_of(states, op, input, reduction.options);
}

status reduce_planned(const executor& executor, const reduction& reduction,
                      std::span<const output_view> outputs) {
  return executor.gpu() ? reduce_on_gpu(executor, reduction, outputs)
                        : cpu::reduce_outputs(reduction, outputs);
}

}  // namespace

std::vector<std::int64_t> answer_shape(const array_view& x, const options& options) {
  bool reduced[max_rank] = {};
  for (int axis : options.axes.list()) {
    axis += axis < 0 ? x.rank() : 0;
    if (axis >= 0 && axis < x.rank()) reduced[axis] = true;
  }
  std::vector<std::int64_t> shape;
  for (int i = 0; i < x.rank(); ++i) {
    if (!options.axes.all() && !reduced[i])
      shape.push_back(x.axes()[i].extent);
    else if (options.keepdims)
      shape.push_back(1);
  }
  return shape;
}

status detail::check_length(op op, std::span<const std::int64_t> shape, std::int64_t length) try {
  std::int64_t answers = std::find(shape.begin(), shape.end(), 0) == shape.end();
  bool fits = shape.size() <= max_rank;
  for (const std::int64_t extent : shape)
    fits = !__builtin_mul_overflow(answers, extent, &answers) && fits;
  if (fits && answers == length) return {};
  return {status_code::mismatch, "there is room for " + std::to_string(length) + " answers, and " +
                                     (fits ? std::to_string(answers) : "another number") + " of " +
                                     std::string(name(op))};
} catch (...) {
  return detail::memory_refused();
}

status detail::check_no_axis_kept(const array_view& x, const options& options) try {
  if ((options.axes.all() && !options.keepdims) || answer_shape(x, options).empty()) return {};
  // Errors in the axes are reported first.
  if (const auto plan = make_walk_plan({}, x, options); !plan) return plan.why();
  return {status_code::mismatch,
          "this call gives one value, and options::axes or options::keepdims keep axes; name the "
          "axes in the call, as sum(view, axis(0), options) or sum(view, all_axes, options), which "
          "gives an array"};
} catch (...) {
  return detail::memory_refused();
}

result<plan> make_plan(const executor& executor, const op_list& ops,
                       std::span<const array_view> views, const options& options) try {
  const auto machine = cpu::this_machine(executor.threads());
  if (!machine) return machine.why();
  auto plan = make_plan(*machine, ops, views, options);
  if (plan) *plan = planned_for(executor, *plan, views);
  return plan;
} catch (...) {
  return detail::memory_refused();
}

status reduce(const executor& requested, const op_list& ops, std::span<const array_view> views,
              std::span<const output_view> outputs, const options& options) try {
  const executor executor = beside(requested, views, outputs, options);
  if (!executor.gpu()) {
    if (auto fine = check_no_device_options(options); !fine) return fine;
  }
  const auto here = cpu::this_machine(executor.threads());
  if (!here) return here.why();
  if (!executor.gpu() && ops.size() == 1 && outputs.size() == 1 &&
      cpu::reduce_few(ops[0], views, outputs[0], options))
    return {};
  onefold::plan plan;
  if (auto fine = check_and_plan(*here, ops, views, outputs, options, plan); !fine) return fine;
  return run_on(choose(executor, plan), options,
                [&](const onefold::executor& where, const onefold::options& watched) {
                  const onefold::plan own = planned_for(where, plan, views);
                  return reduce_planned(where, reduction(own, views, watched), outputs);
                });
} catch (...) {
  return detail::memory_refused();
}

const options& detail::default_options() noexcept {
  // Never destroyed: destructors of other static objects may reduce.
  alignas(options) static std::byte memory[sizeof(options)];
  static const options& made = *::new (memory) options();
  return made;
}

bool detail::reduce_span(op op, const array_view& x, const array_view& y, const options& options,
                         void* answer) noexcept {
  if (&options != &default_options() || cuda::driver_has_on_device(x.data())) return false;
  const bool one = y.data() == x.data();
  return (one || !cuda::driver_has_on_device(y.data())) && cpu::reduce_few(op, x, y, answer);
}

result<std::size_t> workspace_size(const executor& executor, const op_list& ops,
                                   std::initializer_list<array_view> views,
                                   std::initializer_list<output_view> outputs,
                                   const options& options) try {
  if (!executor.gpu()) return std::size_t(0);
  const std::span given(views.begin(), views.size());
  const std::span list(outputs.begin(), outputs.size());
  const auto here = cpu::this_machine(executor.threads());
  if (!here) return here.why();
  onefold::plan plan;
  if (auto fine = check_and_plan(*here, ops, given, list, options, plan); !fine) return fine;
  const onefold::plan own = planned_for(executor, plan, given);
  const reduction reduction(own, given, options);
  return cuda::asynchronous_workspace_bytes(*executor.gpu(), request_of(reduction), list);
} catch (...) {
  return detail::memory_refused();
}

status workspace_init(const executor::cuda& device, void* buffer, std::size_t bytes) try {
  return cuda::clear_workspace(device, buffer, bytes);
} catch (...) {
  return detail::memory_refused();
}

status reduce_mapped(const executor& executor, op op, const array_view& x, dtype mapped,
                     const element_map& map, const output_view& output,
                     const options& options) try {
  if (auto fine = check_no_device_options(options); !fine) return fine;
  const auto machine = cpu::this_machine(beside(executor, {x.data()}), "functions of the elements");
  if (!machine) return machine.why();
  onefold::plan plan;
  if (auto fine = decide_plan(*machine, op, std::span(&x, 1), options, mapped, plan); !fine)
    return fine;
  if (auto fine = check_output(op, x, options, output); !fine) return fine;
  reduction reduction(plan, std::span(&x, 1), options);
  reduction.map = &map;
  return cpu::reduce_outputs(reduction, std::span(&output, 1));
} catch (...) {
  return detail::memory_refused();
}

result<state> try_partial(const executor& requested, op op, std::initializer_list<array_view> views,
                          const options& options) try {
  if (auto fine = check_has_states(options); !fine) return fine;
  if (!options.axes.all() || options.keepdims)
    return status(status_code::unsupported,
                  "a state is one answer; reduce all axes, and keep none (options::keepdims)");
  const std::span given(views.begin(), views.size());
  const executor executor = beside(requested, given, {}, options);
  const auto plan = make_plan(executor, op, views, options);
  if (!plan) return plan.why();
  return run_on(choose(executor, *plan), options,
                [&](const onefold::executor& where, const onefold::options& watched) {
                  return state_on(where, reduction(*plan, given, watched), op, plan->input);
                });
} catch (...) {
  return detail::memory_refused();
}

result<state> try_partial(const executor& executor, op op, const array_view& x,
                          const options& options) {
  return try_partial(executor, op, std::initializer_list<array_view>{x}, options);
}

namespace {

// output: where the answers of the states will be written; null: its shape is not checked.
status pass_states(const executor& requested, op op, std::span<const array_view> views,
                   const output_view* output, const state_taker& take, const options& options) {
  if (auto fine = check_has_states(options); !fine) return fine;
  const auto machine =
      cpu::this_machine(beside(requested, views, {}, options), "states of many answers");
  if (!machine) return machine.why();
  const auto plan = make_plan(*machine, op, views, options);
  if (!plan) return plan.why();
  if (output)
    if (auto fine = check_output(op, views[0], options, *output); !fine) return fine;
  return cpu::pass_states(reduction(*plan, views, options), take);
}

}  // namespace

status partials(const executor& requested, op op, std::initializer_list<array_view> views,
                const state_taker& take, const options& options) try {
  return pass_states(requested, op, std::span(views.begin(), views.size()), nullptr, take, options);
} catch (...) {
  return detail::memory_refused();
}

result<std::vector<state>> detail::answer_states(op op, const array_view& x,
                                                 const output_view& output,
                                                 const options& options) try {
  std::int64_t answers = 1;
  for (const axis_layout& axis : output.axes()) answers *= axis.extent;
  std::vector<state> states(std::size_t(answers / answers_of(op)), state(op, x.type()));
  const auto take = [&](std::int64_t i, const state& part) { states[std::size_t(i)] = part; };
  if (auto done = pass_states({}, op, std::span(&x, 1), &output, take, options); !done) return done;
  return states;
} catch (const error& failed) {  // a type that the operator does not take
  return failed.why();
} catch (...) {
  return memory_refused();
}

status detail::write_answers(std::span<const state> states, const output_view& output,
                             const options& options) {
  const rounding_options rounding = {options.nan_policy, options.correction};
  for (std::size_t i = 0; i < states.size(); ++i) {
    auto* const place = cpu::place_of(output, std::int64_t(i), answers_of(states[i].op()));
    if (auto done = states[i].write(place, output.type(), rounding); !done) return done;
  }
  return {};
}

}  // namespace onefold
