// SPDX-License-Identifier: Apache-2.0
// Many answers: the elements of each go through tasks, an answer at a time.
#include <algorithm>

#include "cpu/answers.hpp"
#include "cpu/blocks.hpp"
#include "cpu/columns.hpp"
#include "cpu/engine.hpp"
#include "cpu/share.hpp"
#include "plan/tuning.hpp"

namespace onefold::cpu {
namespace {

// One answer after the other, each by all threads.
status one_by_one(const reduction& of, const answers& to) {
  for (std::int64_t k = 0; k < of.decided.outputs; ++k) {
    accumulation states(of.decided.what, of.decided.input, of.decided.how);
    const loop_origin at = origin_of(of.decided, k);
    if (auto done = accumulate(of, at, states); !done) return done;
    if (auto done = to.write(states, at.index); !done) return done;
  }
  return {};
}

status by_blocks(const reduction& of, const answers& to) {
  const plan& decided = of.decided;
  const std::int64_t block = std::clamp<std::int64_t>(
      tuning::block_items / std::max<std::int64_t>(decided.items, 1), 1, decided.outputs);
  const shared_work work = {(decided.outputs + block - 1) / block, decided.threads,
                            block * decided.items, decided.outputs * decided.items};
  const accumulation empty(decided.what, decided.input, decided.how);
  first_failure failure;
  auto done = share(work, of.how, [&](const auto& next) {
    answer_worker mine(of, empty);
    while (const auto piece = next()) {
      const std::int64_t end = std::min(decided.outputs, (*piece + 1) * block);
      for (std::int64_t k = *piece * block; k < end; ++k)
        if (failure.any() ||
            !failure.note(mine.reduce(origin_of(decided, k), 0, decided.items, to)))
          return;
    }
  });
  return failure.any() ? failure.why() : done;
}

}  // namespace

status reduce_outputs(const reduction& of, std::span<const output_view> outputs) {
  const plan& decided = of.decided;
  const answers to(of, outputs);
  if (decided.outputs == 0 || reduce_few(of, to)) return {};
  const bool few_and_long =
      decided.outputs < 4 * decided.threads && decided.items >= 4 * decided.chunk_items;
  if (decided.outputs == 1 || few_and_long) return one_by_one(of, to);
  if (auto done = reduce_blocks(of, to)) return *done;
  if (auto done = reduce_columns(of, to)) return *done;
  return by_blocks(of, to);
}

}  // namespace onefold::cpu
