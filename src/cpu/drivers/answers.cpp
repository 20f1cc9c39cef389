// SPDX-License-Identifier: Apache-2.0
// Rounds states to answers and writes them to the outputs, or passes states to the caller.
#include "cpu/drivers/answers.hpp"

#include <algorithm>

#include "cpu/tasks/initial.hpp"

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

answer_worker::answer_worker(const reduction& reduction, const accumulation& empty,
                             piece_source& pieces)
    : reduction_(reduction), empty_(empty), pieces_(pieces), reader_(reduction),
      tasks_(empty, reduction.plan.input, reduction.plan.accuracy) {}

status answer_worker::reduce(const loop_origin& at, std::int64_t first, std::int64_t last,
                             const answers& answers) {
  accumulation states = empty_;
  const std::int64_t dropped_before = reader_.dropped_nans();
  for (std::int64_t i = first; i < last; i += reduction_.plan.chunk_items) {
    if (i > first)
      if (auto on = pieces_.poll(reduction_.plan.chunk_items); !on) return on;
    tasks_.take(reader_.read(at, i, std::min(reduction_.plan.chunk_items, last - i)), parts_);
    states.push(parts_);
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
