// SPDX-License-Identifier: Apache-2.0
// onefold::windows: reduces data that arrive in pieces, on the CPU or a GPU.
#include "onefold/windows.hpp"

#include <optional>
#include <string>
#include <utility>

#include "api/accumulate.hpp"
#include "api/choose.hpp"
#include "cpu/engine.hpp"
#include "cpu/tasks/initial.hpp"
#include "request/make.hpp"
#include "request/request.hpp"
#include "request/tuning.hpp"

namespace onefold {

static_assert(window_items == tuning::chunk_items);

struct windows::parts {
  onefold::executor executor;
  op_list ops;
  dtype input;
  onefold::options options;
  accumulation states;
  accuracy used = options.accuracy;
  std::int64_t count = 0;
  std::optional<choice> chosen{};  // for data in host memory, chosen at the first piece

  // Once automatic has fallen back to the CPU, it stays there.
  status take(const plan& plan, std::span<const array_view> pieces, const onefold::options& how) {
    const onefold::executor near = beside(executor, pieces, {}, how);
    if (!near.chooses()) return take_on(near, plan, pieces, how);
    if (!chosen) {
      chosen = choose(executor, plan, options.expected_items);
      if (chosen->back) report_place(options, chosen->executor, {});
    }
    auto done = take_on(chosen->executor, plan, pieces, how);
    if (!chosen->back || !falls_back(done)) return done;
    chosen = choice{*chosen->back};
    report_place(options, chosen->executor, done);
    return take_on(chosen->executor, plan, pieces, how);
  }

  // Adds all elements of the pieces, or nothing where that fails. The first piece decides whether
  // fast sums are a GPU's, which are exact: others' chunks have an order that no kernel follows.
  status take_on(const onefold::executor& where, const plan& plan,
                 std::span<const array_view> views, const onefold::options& how) {
    const accuracy on_device = accuracy_on_device(ops, input, options.accuracy);
    if (count == 0) used = where.gpu() ? on_device : options.accuracy;
    if (where.gpu() && used != on_device)
      return {status_code::unsupported,
              "fast windows that began on the CPU end there; give their elements in host memory, "
              "or begin with a window in device memory"};
    accumulation with_piece = count == 0 ? accumulation(ops, input, used) : states;
    const onefold::plan own = used == plan.accuracy ? plan : plan_on_device(plan, views);
    const std::int64_t all = count + plan.items;
    const reduction part(own, views, how);
    if (auto done = accumulate(where, part, with_piece, count, all); !done) return done;
    states = std::move(with_piece);
    count = all;
    return {};
  }

  bool cuts_in_chunks() const {
    for (const auto& state : states.accumulators())
      if (state.ordered()) return true;
    return false;
  }
  op first() const { return ops.size() > 0 ? ops[0] : op::sum; }
  status check_asked_for(op which) const {
    if (ops.contains(which)) return {};
    return {status_code::mismatch,
            std::string(name(which)) +
                " is none of the operators that these windows were made for"};
  }
};

namespace {

// A view without axes is a valid output for all answers.
status check_contiguous(op which, const output_view& output) {
  const auto& axes = output.axes();
  const int answers = answers_of(which);
  if (axes.empty()) return {};
  if (axes.size() == 1 && axes[0].extent == answers &&
      (answers == 1 || axes[0].stride_bytes == std::int64_t(size_bytes(output.type()))))
    return {};
  return {status_code::mismatch, "the output of " + std::string(name(which)) +
                                     " of windows is no contiguous array of " +
                                     std::to_string(answers)};
}

}  // namespace

windows::windows(const executor& executor, const op_list& ops, dtype input, const options& options)
    : parts_(new parts{executor, ops, input,
                       executor.chooses() ? with_rising_progress(options) : options,
                       accumulation(ops, input, options.accuracy)}) {}
windows::windows(windows&&) noexcept = default;
windows& windows::operator=(windows&&) noexcept = default;
windows::~windows() = default;

status windows::add(const array_view& piece) {
  return add({piece});
}

status windows::add(std::initializer_list<array_view> views) try {
  auto& parts = *parts_;
  const std::span pieces(views.begin(), views.size());
  if (auto fine = check_no_device_options(parts.options); !fine) return fine;
  if (pieces.empty() || loop_type(pieces) != parts.input)
    return {status_code::mismatch,
            "a window of " + std::string(pieces.empty() ? "nothing" : name(loop_type(pieces))) +
                " in a reduction of " + std::string(name(parts.input))};
  if (!parts.options.axes.all() || parts.options.keepdims || parts.options.where)
    return {status_code::unsupported,
            "windows reduce all axes, keep none and take no mask; reduce() does all three"};
  if (parts.cuts_in_chunks() && parts.count % window_items != 0)
    return {status_code::mismatch, "fast reductions and prod need windows of a multiple of " +
                                       std::to_string(window_items) + " elements but for the last"};
  options options = parts.options;
  options.first_index += parts.count;
  const auto machine = cpu::this_machine(parts.executor.threads());
  if (!machine) return machine.why();
  const auto plan = make_plan(*machine, parts.ops, pieces, options);
  if (!plan) return plan.why();
  return parts.take(*plan, pieces, options);
} catch (...) {
  return detail::memory_refused();
}

std::int64_t windows::count() const noexcept {
  return parts_->count;
}

status windows::write(op which, const output_view& output) const try {
  const auto& parts = *parts_;
  if (auto fine = parts.check_asked_for(which); !fine) return fine;
  if (auto fine = check_contiguous(which, output); !fine) return fine;
  accumulation states = parts.states;
  cpu::add_initial(states, parts.input, parts.options);
  return round_answer(states, which, parts.input, parts.options, output.data(), output.type());
} catch (...) {
  return detail::memory_refused();
}

status windows::write(const output_view& output) const {
  return write(parts_->first(), output);
}

result<state> windows::partial(op which) const try {
  if (auto fine = parts_->check_asked_for(which); !fine) return fine;
  return state_of(parts_->states, which, parts_->input, parts_->options);
} catch (...) {
  return detail::memory_refused();
}

result<state> windows::partial() const {
  return partial(parts_->first());
}

}  // namespace onefold
