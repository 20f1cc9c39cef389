// SPDX-License-Identifier: Apache-2.0
// The entry points reduce and partial: views to a plan, an engine, a state, and a rounded answer.
#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "api/accumulate.hpp"
#include "api/answers_on_device.hpp"
#include "api/choose.hpp"
#include "cpu/drivers/answers.hpp"
#include "cpu/drivers/blocks.hpp"
#include "cpu/drivers/few.hpp"
#include "cpu/engine.hpp"
#include "cuda/engine.hpp"
#include "onefold/onefold.hpp"
#include "request/reach.hpp"
#include "request/request.hpp"

namespace onefold {
namespace {

status no_such_output(const std::string& what) {
  return {status_code::mismatch, what};
}

// The shape of an operator's answers: the kept axes, and for minmax one more axis of two.
std::vector<std::int64_t> extents_of(op what, const array_view& x, const options& how) {
  auto shape = answer_shape(x, how);
  if (answers_of(what) > 1) shape.push_back(answers_of(what));
  return shape;
}

status check_output(op what, const array_view& x, const options& how, const output_view& output) {
  const auto wanted = extents_of(what, x, how);
  const auto& axes = output.axes();
  bool same = std::size_t(axes.size()) == wanted.size();
  for (int i = 0; same && i < axes.size(); ++i) same = axes[i].extent == wanted[std::size_t(i)];
  const auto item_bytes = std::int64_t(size_bytes(output.type()));
  if (same && answers_of(what) > 1) same = axes[axes.size() - 1].stride_bytes == item_bytes;
  if (same && !lies_apart(axes, item_bytes)) return no_such_output(elements_share_bytes);
  if (same) return {};
  std::string text;
  for (const std::int64_t extent : wanted)
    text += (text.empty() ? "" : ", ") + std::to_string(extent);
  return no_such_output("the output of " + std::string(name(what)) + " has another shape than (" +
                        text + "), or answers of one index that do not lie side by side");
}

// The accumulators that the request needs, as the CUDA engine takes them.
std::vector<accumulator> accumulators_of(const plan& plan) {
  std::vector<accumulator> made;
  const accumulation states(plan.ops, plan.input, plan.accuracy);
  for (const accumulator_state& each : states.accumulators()) made.push_back(each.what);
  return made;
}

cuda::request request_of(const reduction& of, std::span<const output_view> outputs) {
  const auto& plan = of.plan;
  const bool columns = plan.outputs > 1 && cpu::sums_columns(of, {of, outputs});
  return {plan,    of.options, of.x,      of.y,   0, plan.outputs * plan.items,
          of.mask, of.x_type,  of.y_type, columns};
}

// A host buffer for one answer that is then copied to an output in device memory.
struct host_place {
  alignas(16) std::byte bytes[16] = {};
};

// Rounds the answer on the host; an output in device memory gets a copy at the end.
status reduce_on_device(const executor& on, const reduction& of,
                        std::span<const output_view> outputs) {
  const auto& plan = of.plan;
  if (plan.outputs != 1) return reduce_answers_on_device(on, of, outputs);
  accumulation states(plan.ops, plan.input, plan.accuracy);
  if (auto done = accumulate(on, of, states, 0, plan.items); !done) return done;
  std::vector<host_place> places(outputs.size());
  std::vector<output_view> hosts;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const output_view& to = outputs[i];
    if (cuda::lies_on_device(to.data()))
      hosts.emplace_back(places[i].bytes, to.type(), to.axes());
    else
      hosts.push_back(to);
  }
  if (auto done = cpu::answers(of, hosts).write(states, 0); !done) return done;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (hosts[i].data() == outputs[i].data()) continue;
    const std::size_t bytes =
        std::size_t(answers_of(plan.ops[int(i)])) * size_bytes(outputs[i].type());
    auto done = cuda::copy_to_device(*on.gpu(), outputs[i].data(), places[i].bytes, bytes);
    if (!done) return done;
  }
  return {};
}

// Reduces asynchronously on the device where it can; otherwise through the host, which then writes
// options::status_out.
status reduce_on_gpu(const executor& on, const reduction& of,
                     std::span<const output_view> outputs) {
  const auto accumulators = accumulators_of(of.plan);
  if (auto done = cuda::reduce_resident(*on.gpu(), request_of(of, outputs), accumulators, outputs))
    return *done;
  auto done = reduce_on_device(on, of, outputs);
  if (of.options.status_out == nullptr) return done;
  const auto code = std::int32_t(done.code());
  auto copied = cuda::copy_to_device(*on.gpu(), of.options.status_out, &code, sizeof code);
  return done ? copied : done;
}

// Makes the plan of a request and checks that the outputs fit its views.
status check_request(const machine& here, const op_list& what, std::span<const array_view> views,
                     std::span<const output_view> outputs, const options& how, plan& plan) {
  if (auto fine = decide_plan(here, what, views, how, {}, plan); !fine) return fine;
  if (int(outputs.size()) != what.size())
    return no_such_output("there are " + std::to_string(what.size()) + " operators and " +
                          std::to_string(outputs.size()) + " outputs");
  for (int i = 0; i < what.size(); ++i)
    if (auto fine = check_output(what[i], views[0], how, outputs[std::size_t(i)]); !fine)
      return fine;
  return {};
}

result<state> state_on(const executor& on, const reduction& of, op what, dtype input) {
  if (on.gpu() == nullptr) {
    state made(what, input, of.options.first_index);
    if (auto done = cpu::add_to(of, made); !done) return done;
    return made;
  }
  const auto& plan = of.plan;
  accumulation states(plan.ops, plan.input, plan.accuracy);
  if (auto done = accumulate(on, of, states, 0, plan.items); !done) return done;
  return state_of(states, what, input, of.options);
}

status reduce_planned(const executor& on, const reduction& of,
                      std::span<const output_view> outputs) {
  return on.gpu() ? reduce_on_gpu(on, of, outputs) : cpu::reduce_outputs(of, outputs);
}

}  // namespace

std::vector<std::int64_t> answer_shape(const array_view& x, const options& how) {
  bool reduced[max_rank] = {};
  for (int axis : how.axes.list()) {
    axis += axis < 0 ? x.rank() : 0;
    if (axis >= 0 && axis < x.rank()) reduced[axis] = true;
  }
  std::vector<std::int64_t> shape;
  for (int i = 0; i < x.rank(); ++i) {
    if (!how.axes.all() && !reduced[i])
      shape.push_back(x.axes()[i].extent);
    else if (how.keepdims)
      shape.push_back(1);
  }
  return shape;
}

status detail::check_length(op what, std::span<const std::int64_t> shape, std::int64_t length) try {
  std::int64_t answers = std::find(shape.begin(), shape.end(), 0) == shape.end();
  bool fits = shape.size() <= max_rank;
  for (const std::int64_t extent : shape)
    fits = !__builtin_mul_overflow(answers, extent, &answers) && fits;
  if (fits && answers == length) return {};
  return {status_code::mismatch, "there is room for " + std::to_string(length) + " answers, and " +
                                     (fits ? std::to_string(answers) : "another number") + " of " +
                                     std::string(name(what))};
} catch (...) {
  return detail::memory_refused();
}

status detail::check_no_axis_kept(const array_view& x, const options& how) try {
  if ((how.axes.all() && !how.keepdims) || answer_shape(x, how).empty()) return {};
  // Errors in the axes are reported first.
  if (const auto plan = make_walk_plan({}, x, how); !plan) return plan.why();
  return {status_code::mismatch,
          "this call gives one value, and options::axes or options::keepdims keep axes; name the "
          "axes in the call, as sum(view, axis(0), options) or sum(view, all_axes, options), which "
          "gives an array"};
} catch (...) {
  return detail::memory_refused();
}

result<plan> make_plan(const executor& on, const op_list& what,
                       std::initializer_list<array_view> views, const options& how) try {
  const auto machine = cpu::this_machine(on.threads());
  if (!machine) return machine.why();
  return make_plan(*machine, what, std::span(views.begin(), views.size()), how);
} catch (...) {
  return detail::memory_refused();
}

status reduce(const executor& asked, const op_list& what, std::initializer_list<array_view> views,
              std::initializer_list<output_view> outputs, const options& how) try {
  const std::span given(views.begin(), views.size());
  const std::span to(outputs.begin(), outputs.size());
  const executor on = beside(asked, given, to, how);
  if (!on.gpu()) {
    if (auto fine = check_no_device_options(how); !fine) return fine;
  }
  const auto here = cpu::this_machine(on.threads());
  if (!here) return here.why();
  if (!on.gpu() && views.size() == 1 && what.size() == 1 && outputs.size() == 1 &&
      cpu::reduce_few(what[0], *views.begin(), *outputs.begin(), how))
    return {};
  onefold::plan plan;
  if (auto fine = check_request(*here, what, given, to, how, plan); !fine) return fine;
  return run_on(choose(on, plan), how, [&](const executor& where, const options& watched) {
    return reduce_planned(where, reduction(plan, given, watched), to);
  });
} catch (...) {
  return detail::memory_refused();
}

result<std::size_t> workspace_size(const executor& on, const op_list& what,
                                   std::initializer_list<array_view> views,
                                   std::initializer_list<output_view> outputs,
                                   const options& how) try {
  if (!on.gpu()) return std::size_t(0);
  const std::span given(views.begin(), views.size());
  const std::span to(outputs.begin(), outputs.size());
  const auto here = cpu::this_machine(on.threads());
  if (!here) return here.why();
  onefold::plan plan;
  if (auto fine = check_request(*here, what, given, to, how, plan); !fine) return fine;
  const reduction of(plan, given, how);
  return cuda::resident_bytes(*on.gpu(), request_of(of, to), accumulators_of(plan), to);
} catch (...) {
  return detail::memory_refused();
}

status workspace_init(const executor::cuda& on, void* buffer, std::size_t bytes) try {
  return cuda::clear_workspace(on, buffer, bytes);
} catch (...) {
  return detail::memory_refused();
}

status reduce_mapped(const executor& on, op what, const array_view& x, dtype mapped,
                     const element_map& map, const output_view& output, const options& how) try {
  if (auto fine = check_no_device_options(how); !fine) return fine;
  const auto machine = cpu::this_machine(beside(on, {x.data()}), "functions of the elements");
  if (!machine) return machine.why();
  onefold::plan plan;
  if (auto fine = decide_plan(*machine, what, std::span(&x, 1), how, mapped, plan); !fine)
    return fine;
  if (auto fine = check_output(what, x, how, output); !fine) return fine;
  reduction of(plan, std::span(&x, 1), how);
  of.map = &map;
  return cpu::reduce_outputs(of, std::span(&output, 1));
} catch (...) {
  return detail::memory_refused();
}

result<state> try_partial(const executor& asked, op what, const array_view& x,
                          const options& how) try {
  if (auto fine = check_no_device_options(how); !fine) return fine;
  if (how.accuracy == accuracy::fast)
    return status(status_code::unsupported, "a fast reduction has no state; ask for an exact one");
  if (!how.axes.all() || how.keepdims)
    return status(status_code::unsupported,
                  "a state is one answer; reduce all axes, and keep none (options::keepdims)");
  const std::span given(&x, 1);
  const executor on = beside(asked, given, {}, how);
  const auto plan = make_plan(on, what, {x}, how);
  if (!plan) return plan.why();
  return run_on(choose(on, *plan), how, [&](const executor& where, const options& watched) {
    return state_on(where, reduction(*plan, given, watched), what, x.type());
  });
} catch (...) {
  return detail::memory_refused();
}

}  // namespace onefold
