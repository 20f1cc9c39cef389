// SPDX-License-Identifier: Apache-2.0
// Rounds the states of answers and writes them to the outputs, by several threads; or passes the
// states to the caller.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "cpu/drivers/chunk_reader.hpp"
#include "cpu/tasks/worker.hpp"
#include "onefold/callbacks.hpp"
#include "request/reduction.hpp"
#include "runtime/accumulation.hpp"
#include "runtime/share.hpp"

namespace onefold::cpu {

/// Answers of too few elements, which options::empty_value replaces afterwards.
struct few_answers {
  std::span<const std::int64_t> counts{};  ///< of each answer; none: no answer is replaced
  std::int64_t least = 0;

  bool has(std::int64_t index) const {
    return !counts.empty() && counts[std::size_t(index)] < least;
  }
};

/// Whether an answer that is replaced may fail so: there is none, or it does not fit the output.
inline bool is_replaceable(const status& done) {
  return done.code() == status_code::empty || done.code() == status_code::overflow;
}

/// The outputs of a request, or the function that takes its states.
class answers {
 public:
  /// outputs: one for each operator of the plan.
  answers(const reduction& reduction, std::span<const output_view> outputs,
          const few_answers& few = {})
      : reduction_(reduction), outputs_(outputs), few_(few) {}
  /// Precondition: the plan has one operator.
  answers(const reduction& reduction, const state_taker& take)
      : reduction_(reduction), take_(&take) {}

  /// Merges the caller's initial value into the states, rounds every operator's answer and writes
  /// the answers of one row-major index; or passes the state on. Fails: as round_state, unless the
  /// answer is replaced.
  status write(accumulation& from, std::int64_t index) const;

  /// Writes the answer of a few elements without a state. False: write() has to.
  bool write_few(const piece& elements, std::int64_t index) const;

  const output_view& output(int i) const { return outputs_[std::size_t(i)]; }

 private:
  bool write_few_integers(const piece& elements, std::int64_t index) const;

  const reduction& reduction_;
  std::span<const output_view> outputs_;
  few_answers few_;
  const state_taker* take_ = nullptr;
};

/// The address of the answers of a row-major index in an output.
std::byte* place_of(const output_view& output, std::int64_t index, int answers_each);

/// Computes one answer at a time, in one thread.
class answer_worker {
 public:
  /// `empty`: the states of no elements. All arguments outlive the worker.
  answer_worker(const reduction& reduction, const accumulation& empty, piece_source& pieces);

  /// Reduces the elements first … last - 1 of the loops that begin at `at`, and writes the answer
  /// of index at.index. Fails: cancelled, and as round_state.
  status reduce(const loop_origin& at, std::int64_t first, std::int64_t last,
                const answers& answers);

 private:
  const reduction& reduction_;
  const accumulation& empty_;
  piece_source& pieces_;
  chunk_reader reader_;
  worker tasks_;
  std::vector<ordered_state> parts_;
};

/// The first failure of all tasks; the others stop when they see it.
class first_failure {
 public:
  /// Records a failure. Returns whether the status is ok.
  bool note(status done);
  bool any() const { return failed_.load(std::memory_order_relaxed); }
  /// Precondition: the tasks have ended.
  const status& why() const { return why_; }

 private:
  std::mutex mutex_;
  std::atomic<bool> failed_{false};
  status why_;
};

}  // namespace onefold::cpu
