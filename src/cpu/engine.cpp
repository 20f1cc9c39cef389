// SPDX-License-Identifier: Apache-2.0
// The CPU engine: accumulates the chunks of one answer in parallel, and makes states of them.
#include "cpu/engine.hpp"

#include <algorithm>
#include <mutex>
#include <string>

#include "cpu/drivers/chunk_reader.hpp"
#include "cpu/kernels/targets.hpp"
#include "cpu/tasks/sound.hpp"
#include "cpu/tasks/worker.hpp"
#include "runtime/share.hpp"
#include "runtime/threads.hpp"

namespace onefold::cpu {
namespace {

// Keeps the states of ordered accumulators until all chunks are done, so that the tree does not
// depend on threads. A chunk whose elements were all removed has no states.
class ordered_parts {
 public:
  ordered_parts(const accumulation& accumulation, std::int64_t chunks) {
    for (const accumulator_state& state : accumulation.accumulators())
      accumulators_ += state.ordered();
    parts_.resize(accumulators_ * std::size_t(chunks));
    there_.resize(accumulators_ > 0 ? std::size_t(chunks) : 0);
  }
  void store(std::int64_t chunk, const std::vector<ordered_state>& parts) {
    if (parts.empty()) return;
    std::copy(parts.begin(), parts.end(), parts_.begin() + chunk * std::ptrdiff_t(accumulators_));
    there_[std::size_t(chunk)] = 1;
  }
  void push_all(accumulation& into) const {
    for (std::size_t chunk = 0; chunk < there_.size(); ++chunk) {
      const auto part = parts_.begin() + std::ptrdiff_t(chunk * accumulators_);
      if (there_[chunk]) into.push({part, part + std::ptrdiff_t(accumulators_)});
    }
  }

 private:
  std::size_t accumulators_ = 0;
  std::vector<ordered_state> parts_;
  std::vector<char> there_;
};

}  // namespace

status accumulate(const reduction& reduction, const loop_origin& at, accumulation& into) {
  return accumulate_range(reduction, at, 0, reduction.plan.items, into, 0, reduction.plan.items);
}

status accumulate_range(const reduction& reduction, const loop_origin& at, std::int64_t first,
                        std::int64_t last, accumulation& into, std::int64_t before,
                        std::int64_t all) try {
  const auto& plan = reduction.plan;
  const std::int64_t step = plan.chunk_items, chunks = (last - first + step - 1) / step;
  const shared_work work = {chunks, plan.threads, step, last - first, before, all};
  ordered_parts ordered(into, chunks);
  std::mutex draining;
  auto done = share(work, reduction.options, [&](auto& next) {
    chunk_reader reader(reduction);
    worker worker(into, plan.input, plan.accuracy);
    std::vector<ordered_state> parts;
    while (const auto chunk = next()) {
      const std::int64_t begin = first + *chunk * step;
      worker.take(reader.read(at, begin, std::min(step, last - begin)), parts);
      ordered.store(*chunk, parts);
    }
    worker.note_dropped(reader.dropped_nans());
    const std::lock_guard lock(draining);
    worker.drain(into);
  });
  if (!done) return done;
  const float_environment sound;
  ordered.push_all(into);
  return {};
} catch (const std::bad_alloc&) {
  return {status_code::out_of_memory, "no memory for one number a chunk of 65536 elements"};
}

loop_origin origin_of(const plan& plan, std::int64_t k) {
  loop_origin at;
  at.index = plan.origin.index;
  for (int i = plan.kept.size() - 1; i >= 0; --i) {
    const loop_axis& axis = plan.kept[i];
    const std::int64_t along = k % axis.extent;
    k /= axis.extent;
    at.x_bytes += along * axis.x_bytes;
    at.y_bytes += along * axis.y_bytes;
    at.mask_bytes += along * axis.mask_bytes;
    at.index += along * axis.index_items;
  }
  return at;
}

status walk(const reduction& reduction, const piece_taker& take) {
  const auto& plan = reduction.plan;
  const std::int64_t pieces = plan.outputs * plan.chunks;
  const std::int64_t items = plan.outputs * plan.items;
  const shared_work work = {pieces, plan.threads, items / std::max<std::int64_t>(pieces, 1), items,
                            0,      items};
  return share(work, reduction.options, [&](auto& next) {
    chunk_reader reader(reduction);
    while (const auto index = next()) {
      const loop_origin at = origin_of(plan, *index / plan.chunks);
      const std::int64_t part = *index % plan.chunks, first = part * plan.chunk_items;
      const auto n = std::min(plan.chunk_items, plan.items - first);
      const piece found = reader.read(at, first, n);
      take(at.index, part, found.x, found.n, found.first_index);
    }
  });
}

status add_to(const reduction& reduction, state& into) {
  accumulation states(reduction.plan.ops, reduction.plan.input, reduction.plan.accuracy);
  if (auto done = accumulate(reduction, {}, states); !done) return done;
  auto more = state_of(states, into.op(), into.input(), reduction.options);
  return more ? into.try_merge(*more) : more.why();
}

result<machine> this_machine(int threads_wanted) {
  if (!refused_target().empty())
    return status(status_code::unsupported,
                  "ONEFOLD_SIMD=" + refused_target() +
                      " names no SIMD target of this build and CPU; onefold doctor lists them");
  if (!arithmetic_is_sound())
    return status(status_code::unsound_arithmetic,
                  "this build's floating point breaks the proofs (a known sum came out wrong); "
                  "build onefold without -ffast-math and its parts");
  const int threads = threads_wanted > 0 ? threads_wanted : available_threads().threads;
  return machine{threads, active_table().target};
}

result<machine> this_machine(const executor& executor, const char* caller) {
  if (executor.gpu() == nullptr) return this_machine(executor.threads());
  return status(status_code::unsupported, std::string("the CUDA engine does not serve ") + caller +
                                              "; the CPU does (executor::cpu, --device cpu)");
}

}  // namespace onefold::cpu
