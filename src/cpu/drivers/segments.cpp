// SPDX-License-Identifier: Apache-2.0
// Reductions of segments: all threads reduce each long segment together; short ones are divided
// into blocks of similar work.
#include "cpu/drivers/segments.hpp"

#include <algorithm>
#include <atomic>
#include <functional>
#include <mutex>
#include <numeric>
#include <optional>
#include <vector>

#include "cpu/drivers/answers.hpp"
#include "cpu/drivers/blocks.hpp"
#include "cpu/engine.hpp"
#include "cpu/kernels/prefetch.hpp"
#include "request/tuning.hpp"
#include "runtime/share.hpp"
#include "runtime/threads.hpp"

namespace onefold::cpu {
namespace {

// All threads reduce a segment of at least this length together, and poll for stops within it.
constexpr std::int64_t long_items = 8 * tuning::chunk_items;

using offsets_span = std::span<const std::int64_t>;

// Divides segments into pieces of similar weight: an element weighs one, a segment one more. A
// segment belongs to the piece in which it starts, so a long segment is the last of its piece. A
// piece's start is searched when it is needed: one thread walking over all offsets would take
// longer than all threads take for the sums of short segments.
class segment_cut {
 public:
  explicit segment_cut(offsets_span offsets)
      : offsets_(offsets), count_(std::int64_t(offsets.size()) - 1),
        pieces_((weight(count_) + tuning::block_items - 1) / tuning::block_items) {}

  std::int64_t pieces() const { return pieces_; }
  std::int64_t segments() const { return count_; }
  std::int64_t items(std::int64_t k) const { return at(k + 1) - at(k); }

  /// The first segment of a piece, at or after `from`: an exponential search, then bisection.
  std::int64_t first_of(std::int64_t piece, std::int64_t from) const {
    const std::int64_t least = piece * tuning::block_items;
    std::int64_t low = from, high = from;
    for (std::int64_t step = 1; high < count_ && weight(high) < least; step *= 2)
      low = high + 1, high = std::min(count_, high + step);
    while (low < high) {
      const std::int64_t middle = low + (high - low) / 2;
      if (weight(middle) < least)
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  }

 private:
  std::int64_t at(std::int64_t k) const { return offsets_[std::size_t(k)]; }
  std::int64_t weight(std::int64_t k) const { return at(k) - at(0) + k; }

  offsets_span offsets_;
  std::int64_t count_, pieces_;
};

// Long segments, deferred until all threads can reduce them.
class long_segments {
 public:
  void note(std::int64_t k) {
    const std::lock_guard lock(mutex_);
    found_.push_back(k);
  }
  const std::vector<std::int64_t>& found() const { return found_; }

 private:
  std::mutex mutex_;
  std::vector<std::int64_t> found_;
};

loop_origin origin_of_segment(std::int64_t k) {
  loop_origin at;
  at.index = k;
  return at;
}

// `before_items`: the elements of the request that are done; grows by the segment's elements.
status reduce_long(const reduction& reduction, offsets_span offsets, std::int64_t k,
                   std::int64_t& before_items, const answers& answers) {
  accumulation states(reduction.plan.ops, reduction.plan.input, reduction.plan.accuracy);
  const std::int64_t begin = offsets[std::size_t(k)], end = offsets[std::size_t(k) + 1];
  const std::int64_t all = offsets.back() - offsets.front();
  if (auto done = accumulate_range(reduction, {}, begin, end, states, before_items, all); !done)
    return done;
  before_items += end - begin;
  return answers.write(states, k);
}

// The elements of the deferred long segments. Walks over the offsets only where there is a progress
// callback.
std::int64_t waiting_items(const reduction& reduction, const segment_cut& cut) {
  std::int64_t items = 0;
  if (!reduction.options.progress) return items;
  for (std::int64_t k = 0; k < cut.segments(); ++k)
    if (cut.items(k) >= long_items) items += cut.items(k);
  return items;
}

// Reduces the pieces that one thread takes.
class segment_worker {
 public:
  segment_worker(const reduction& reduction, offsets_span offsets, const segment_cut& cut,
                 const std::optional<batched_request>& request, const accumulation& empty,
                 piece_source& pieces)
      : reduction_(reduction), offsets_(offsets), cut_(cut), request_(request),
        tasks_(reduction, empty, pieces), writer_(reduction, empty, pieces) {}

  status reduce(std::int64_t piece, const answers& answers, long_segments& waiting) {
    const std::int64_t begin = piece == next_piece_ ? next_segment_ : cut_.first_of(piece, 0);
    std::int64_t end = cut_.first_of(piece + 1, begin);
    next_piece_ = piece + 1, next_segment_ = end;
    if (end > begin && cut_.items(end - 1) >= long_items) waiting.note(--end);
    if (begin == end) return {};
    if (request_)
      return reduce_segment_block(reduction_, *request_, offsets_, begin, end, answers, writer_);
    for (std::int64_t k = begin; k < end; ++k) {
      const auto at = std::size_t(k);
      auto done = tasks_.reduce(origin_of_segment(k), offsets_[at], offsets_[at + 1], answers);
      if (!done) return done;
    }
    return {};
  }

 private:
  const reduction& reduction_;
  offsets_span offsets_;
  const segment_cut& cut_;
  const std::optional<batched_request>& request_;
  answer_worker tasks_;
  block_writer writer_;
  std::int64_t next_piece_ = -1, next_segment_ = 0;
};

// The sign bit is set where an offset is below zero or below its predecessor: differences of
// non-negative numbers cannot overflow.
std::uint64_t signs_of(offsets_span offsets, std::int64_t first, std::int64_t end) {
  constexpr std::int64_t line = 64 / sizeof(std::int64_t);
  const std::int64_t* const at = offsets.data();
  std::uint64_t signs[line] = {};
  if (first == 0 && first < end) signs[0] = std::uint64_t(at[first++]);
  std::int64_t k = first;
  for (; k + line <= end; k += line) {
    prefetch_ahead(at + k);
    for (std::int64_t i = 0; i < line; ++i)  // lanes that the compiler vectorises
      signs[i] |=
          std::uint64_t(at[k + i]) | (std::uint64_t(at[k + i]) - std::uint64_t(at[k + i - 1]));
  }
  for (; k < end; ++k)
    signs[0] |= std::uint64_t(at[k]) | (std::uint64_t(at[k]) - std::uint64_t(at[k - 1]));
  return std::accumulate(signs, signs + line, std::uint64_t(0), std::bit_or<>());
}

}  // namespace

bool offsets_are_sound(offsets_span offsets, std::int64_t items, int threads,
                       const std::stop_token& stop) {
  std::atomic<std::uint64_t> seen{0};
  const auto n = std::int64_t(offsets.size());
  const int tasks = n * std::int64_t(sizeof(std::int64_t)) < tuning::alone_bytes ? 1 : threads;
  const auto task = [&](int i) {
    (void)in_slices(n * i / tasks, n * (i + 1) / tasks, stop,
                    [&](std::int64_t first, std::int64_t last) {
                      seen.fetch_or(signs_of(offsets, first, last), std::memory_order_relaxed);
                    });
  };
  if (tasks <= 1)
    task(0);
  else
    run_tasks(tasks, task);
  return seen >> 63 == 0 && (n == 0 || offsets[std::size_t(n) - 1] <= items);
}

status reduce_segments(const reduction& reduction, offsets_span offsets,
                       std::span<const output_view> outputs, const few_answers& few) {
  const auto& plan = reduction.plan;
  const answers answers(reduction, outputs, few);
  const segment_cut cut(offsets);
  const std::int64_t all = offsets.back() - offsets.front();
  std::int64_t before_items = all - waiting_items(reduction, cut);
  const shared_work work = {cut.pieces(), plan.threads, tuning::block_items, before_items, 0, all};
  const accumulation empty(plan.ops, plan.input, plan.accuracy);
  const auto request =
      plan.reading == path::in_place
          ? batched_request_of(reduction, batched_shape::segments, answers.output(0).type())
          : std::nullopt;
  first_failure failure;
  long_segments waiting;
  auto done = share(work, reduction.options, [&](auto& next) {
    segment_worker worker(reduction, offsets, cut, request, empty, next);
    while (const auto piece = next())
      if (failure.any() || !failure.note(worker.reduce(*piece, answers, waiting))) return;
  });
  if (failure.any()) return failure.why();
  for (const std::int64_t k : waiting.found())
    if (done) done = reduce_long(reduction, offsets, k, before_items, answers);
  return done;
}

}  // namespace onefold::cpu
