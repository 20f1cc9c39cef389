// SPDX-License-Identifier: Apache-2.0
// Dynamic scheduling: all threads take pieces from one counter, so that a slow core does not delay
// the others. Polls the caller's stop token and reports to the progress callback.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <new>
#include <optional>
#include <stop_token>

#include "onefold/options.hpp"
#include "onefold/status.hpp"
#include "runtime/float_environment.hpp"
#include "runtime/threads.hpp"

namespace onefold {

/// A task reads about so many bytes between two polls for stops. The slowest loops take 2 ns a
/// byte.
inline constexpr std::int64_t poll_bytes = std::int64_t(4) << 20;

/// A request's work, cut into `pieces` numbered from 0. The counts of elements are for the progress
/// callback.
struct shared_work {
  std::int64_t pieces = 0;
  int threads = 1;
  std::int64_t piece_items = 0;   ///< elements of a piece, approximately
  std::int64_t items = 0;         ///< elements of all pieces
  std::int64_t before_items = 0;  ///< elements of the request that are done already
  std::int64_t all_items = 0;     ///< elements of the request
};

inline status asked_to_stop() {
  return {status_code::cancelled, "the caller asked to stop"};
}

/// Reports progress and polls for stops, for all tasks together.
class watcher {
 public:
  watcher(const options& options, const shared_work& work) : options_(options), work_(work) {}

  /// False: stop.
  bool goes_on() {
    if (options_.stop.stop_requested()) stopped_.store(true, std::memory_order_relaxed);
    return !stopped();
  }
  bool stopped() const { return stopped_.load(std::memory_order_relaxed); }

  /// Called with the pieces and elements done since the last call.
  void note(std::int64_t pieces, std::int64_t items) {
    if (!options_.progress) return;
    pieces_.fetch_add(pieces, std::memory_order_relaxed);
    items_.fetch_add(items, std::memory_order_relaxed);
    // The count is read under the lock, so that reported counts never decrease.
    const std::unique_lock lock(reporting_, std::try_to_lock);
    if (lock)
      options_.progress(work_.before_items +
                            std::min(items_.load(std::memory_order_relaxed), work_.items),
                        work_.all_items);
  }

  /// Called when the tasks are done: reports the end, which the last task may not have
  /// reported.
  void close() const {
    if (options_.progress && pieces_.load(std::memory_order_relaxed) == work_.pieces)
      options_.progress(work_.before_items + work_.items, work_.all_items);
  }

 private:
  const options& options_;
  const shared_work& work_;
  std::atomic<std::int64_t> pieces_{0}, items_{0};
  std::atomic<bool> stopped_{false};
  std::mutex reporting_;
};

/// How many neighbouring pieces a task takes at a time: prefetches then bring its own elements, and
/// the last tasks still end at about the same time.
inline std::int64_t batch_of(const shared_work& work) {
  constexpr std::int64_t most = 8, most_items = poll_bytes / 8, batches_per_thread = 8;
  const std::int64_t batches = std::min(work.pieces / (batches_per_thread * work.threads),
                                        most_items / std::max<std::int64_t>(work.piece_items, 1));
  return std::clamp<std::int64_t>(batches, 1, most);
}

/// The pieces of one task, and its polls for stops: one before each piece, and one for each part of
/// a piece of more than poll_bytes.
class piece_source {
 public:
  piece_source(watcher& watching, const shared_work& work, std::atomic<std::int64_t>& counter)
      : watching_(watching), work_(work), counter_(counter), batch_(batch_of(work)) {}
  piece_source(const piece_source&) = delete;

  /// The next piece; none: there is no more, or the caller asked to stop.
  std::optional<std::int64_t> operator()() {
    if (at_ == end_) {
      watching_.note(end_ - begin_, unreported_);
      begin_ = at_ = std::min(counter_.fetch_add(batch_, std::memory_order_relaxed), work_.pieces);
      end_ = std::min(begin_ + batch_, work_.pieces);
      unreported_ = (end_ - begin_) * work_.piece_items;
    }
    if (!watching_.goes_on()) return std::nullopt;
    return at_ < end_ ? std::optional(at_++) : std::nullopt;
  }

  /// Called within a piece, after that many of its elements. Fails: cancelled.
  status poll(std::int64_t items) {
    const std::int64_t counted = std::min(items, unreported_);
    unreported_ -= counted;
    watching_.note(0, counted);
    return watching_.goes_on() ? status() : asked_to_stop();
  }

 private:
  watcher& watching_;
  const shared_work& work_;
  std::atomic<std::int64_t>& counter_;
  std::int64_t batch_, begin_ = 0, at_ = 0, end_ = 0;
  std::int64_t unreported_ = 0;  // elements of the pieces begin_ … end_ - 1
};

/// Calls body(first, last) for slices of a range of items until a stop is requested; for loops
/// without pieces. Fails: cancelled.
template <class Body>
status in_slices(std::int64_t first, std::int64_t last, const std::stop_token& stop, Body&& body) {
  constexpr std::int64_t slice = poll_bytes / 64;
  for (std::int64_t at = first; at < last; at += slice) {
    if (stop.stop_requested()) return asked_to_stop();
    body(at, std::min(at + slice, last));
  }
  return {};
}

/// Runs body(next) once for each thread of the work, where `next` is a piece_source; body calls it
/// until it returns no piece. Fails: out_of_memory, cancelled.
template <class Body>
status share(const shared_work& work, const options& options, Body&& body) try {
  std::atomic<std::int64_t> counter{0};
  watcher watching(options, work);
  const auto task = [&](int) {
    const float_environment sound;
    piece_source next(watching, work, counter);
    body(next);
  };
  const float_environment callers;  // the pool's arithmetic must not raise flags in the caller
  if (work.threads <= 1)
    task(0);
  else
    run_tasks(work.threads, task);
  if (watching.stopped()) return asked_to_stop();
  watching.close();
  return {};
} catch (const std::bad_alloc&) {
  return {status_code::out_of_memory, "no memory for the engine's buffers; use fewer threads"};
}

}  // namespace onefold
