// SPDX-License-Identifier: Apache-2.0
// Rounds states to answers and writes them to the outputs, or passes states to the caller.
#include "cpu/drivers/answers.hpp"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "cpu/tasks/initial.hpp"
#include "cpu/tasks/spans.hpp"

namespace onefold::cpu {

std::byte* place_of(const output_view& output, std::int64_t index, int answers_each) {
  const auto& axes = output.axes();
  std::int64_t offset = 0;
  for (int i = axes.size() - (answers_each > 1 ? 2 : 1); i >= 0; --i) {
    offset += index % axes[i].extent * axes[i].stride_bytes;
    index /= axes[i].extent;
  }
  return static_cast<std::byte*>(output.data()) + offset;
}

status answers::write(accumulation& from, std::int64_t index) const {
  const auto& plan = reduction_.plan;
  if (take_) {
    const auto state = state_of(from, plan.ops[0], plan.input, reduction_.options);
    if (state) (*take_)(index, *state);
    return state.why();
  }
  add_initial(from, plan.input, reduction_.options);
  for (int i = 0; i < plan.ops.size(); ++i) {
    const op op = plan.ops[i];
    std::byte* const place = place_of(output(i), index, answers_of(op));
    auto done = round_answer(from, op, plan.input, reduction_.options, place, output(i).type());
    if (!done && !(few_.has(index) && is_replaceable(done))) return done;
  }
  return {};
}

bool answers::write_few(const piece& elements, std::int64_t index) const {
  const auto& plan = reduction_.plan;
  const options& options = reduction_.options;
  if (take_ || elements.n > few_floats || plan.ops.size() != 1 || options.initial ||
      plan.accuracy != accuracy::exact || plan.nan_policy != nan_policy::propagate ||
      options.correction != 0)
    return false;
  if (!is_floating(plan.input)) return write_few_integers(elements, index);
  if (output(0).type() != plan.input) return false;
  const auto write = [&]<class T>(T answer) {
    const auto *x = static_cast<const T*>(elements.x), *y = static_cast<const T*>(elements.y);
    if (!reduce_span(plan.ops[0], x, y, elements.n, &answer)) return false;
    std::memcpy(place_of(output(0), index, 1), &answer, sizeof answer);
    return true;
  };
  if (plan.input == dtype::f32) return write(float());
  return plan.input == dtype::f64 && write(double());
}

bool answers::write_few_integers(const piece& elements, std::int64_t index) const {
  const auto& plan = reduction_.plan;
  if (accumulator_of(plan.ops[0]) != accumulator::moments || output(0).type() != dtype::f64)
    return false;
  return with_type(plan.input, [&]<class T>(detail::tag<T>) {
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool> && sizeof(T) <= 4) {
      double x[few_floats], answer = 0;
      std::copy_n(static_cast<const T*>(elements.x), elements.n, x);
      if (!reduce_span(plan.ops[0], x, x, elements.n, &answer)) return false;
      std::memcpy(place_of(output(0), index, 1), &answer, sizeof answer);
      return true;
    }
    return false;
  });
}

answer_worker::answer_worker(const reduction& reduction, const accumulation& empty,
                             piece_source& pieces)
    : reduction_(reduction), empty_(empty), pieces_(pieces), reader_(reduction),
      tasks_(empty, reduction.plan.input, reduction.plan.accuracy) {}

status answer_worker::reduce(const loop_origin& at, std::int64_t first, std::int64_t last,
                             const answers& answers) {
  const std::int64_t step = reduction_.plan.chunk_items, dropped_before = reader_.dropped_nans();
  const auto read = [&](std::int64_t i) { return reader_.read(at, i, std::min(step, last - i)); };
  piece next = first < last ? read(first) : piece{};
  if (next.n == last - first && answers.write_few(next, at.index)) return {};
  accumulation states = empty_;
  for (std::int64_t i = first; i < last;) {
    tasks_.take(next, parts_);
    states.push(parts_);
    if ((i += step) >= last) break;
    if (auto on = pieces_.poll(step); !on) return on;
    next = read(i);
  }
  tasks_.note_dropped(reader_.dropped_nans() - dropped_before);
  tasks_.drain(states);
  return answers.write(states, at.index);
}

bool first_failure::note(status done) {
  if (done.ok()) return true;
  const std::lock_guard lock(mutex_);
  if (why_.ok()) why_ = std::move(done);
  failed_.store(true, std::memory_order_relaxed);
  return false;
}

}  // namespace onefold::cpu
