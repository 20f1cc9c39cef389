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

#include "onefold/options.hpp"
#include "onefold/status.hpp"
#include "runtime/float_environment.hpp"
#include "runtime/threads.hpp"

namespace onefold {

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

/// Reports progress and polls for stops, for all tasks together.
class watcher {
 public:
  watcher(const options& options, const shared_work& work) : options_(options), work_(work) {}

  /// Called with the number of pieces done since the last call. False: stop.
  bool goes_on(std::int64_t done) {
    if (options_.stop.stop_requested()) stopped_.store(true, std::memory_order_relaxed);
    if (stopped()) return false;
    if (options_.progress) report(done);
    return true;
  }
  bool stopped() const { return stopped_.load(std::memory_order_relaxed); }

  /// Called when the tasks are done: reports the end, which the last task may not have
  /// reported.
  void close() const {
    if (options_.progress && done_.load(std::memory_order_relaxed) == work_.pieces)
      options_.progress(work_.before_items + work_.items, work_.all_items);
  }

 private:
  // The count is read under the lock, so that reported counts never decrease.
  void report(std::int64_t done) {
    done_.fetch_add(done, std::memory_order_relaxed);
    const std::unique_lock lock(reporting_, std::try_to_lock);
    if (!lock) return;
    const auto items = done_.load(std::memory_order_relaxed) * work_.piece_items;
    options_.progress(work_.before_items + std::min(items, work_.items), work_.all_items);
  }

  const options& options_;
  const shared_work& work_;
  std::atomic<std::int64_t> done_{0};
  std::atomic<bool> stopped_{false};
  std::mutex reporting_;
};

/// How many neighbouring pieces a task takes at a time: prefetches then bring its own elements, and
/// the last tasks still end at about the same time.
inline std::int64_t batch_of(const shared_work& work) {
  constexpr std::int64_t most = 8, batches_per_thread = 8;
  return std::clamp<std::int64_t>(work.pieces / (batches_per_thread * work.threads), 1, most);
}

/// Runs body(next) once for each thread of the work; body calls next() until it returns no piece.
/// Fails: out_of_memory, cancelled.
template <class Body>
status share(const shared_work& work, const options& options, Body&& body) try {
  const std::int64_t batch = batch_of(work);
  std::atomic<std::int64_t> counter{0};
  watcher watching(options, work);
  const auto task = [&](int) {
    const float_environment sound;
    std::int64_t begin = 0, at = 0, end = 0;
    body([&]() -> std::optional<std::int64_t> {
      if (at == end) {
        if (!watching.goes_on(end - begin)) return std::nullopt;
        begin = at = std::min(counter.fetch_add(batch, std::memory_order_relaxed), work.pieces);
        end = std::min(begin + batch, work.pieces);
      }
      return at < end ? std::optional(at++) : std::nullopt;
    });
  };
  const float_environment callers;  // the pool's arithmetic must not raise flags in the caller
  if (work.threads <= 1)
    task(0);
  else
    run_tasks(work.threads, task);
  if (watching.stopped()) return {status_code::cancelled, "the caller asked to stop"};
  watching.close();
  return {};
} catch (const std::bad_alloc&) {
  return {status_code::out_of_memory, "no memory for the engine's buffers; use fewer threads"};
}

}  // namespace onefold
