// SPDX-License-Identifier: Apache-2.0
// Worker threads that take the windows of a file one after the other.
#include "io/file_windows.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <vector>

#include "failure.hpp"
#include "io/layout.hpp"
#include "io/progress.hpp"
#include "messages.hpp"

namespace onefold::program {
namespace {

constexpr std::align_val_t page{4096};

struct aligned_delete {
  void operator()(std::byte* bytes) const noexcept { ::operator delete(bytes, page); }
};
using buffer = std::unique_ptr<std::byte[], aligned_delete>;

class file_reading {
 public:
  using taker = std::function<void(int, const array_view&)>;

  file_reading(const input& from, const request& request, const taker& take)
      : from_(from), take_(take), start_(require(from.stream.position(), from.name)),
        size_(*from.stored.data_bytes()), bar_(request.progress_bar, size_) {}

  void work(int worker) noexcept {
    try {
      const buffer window(static_cast<std::byte*>(::operator new(file_window_bytes, page)));
      while (!stopped_.load(std::memory_order_relaxed) && take_next(worker, window.get())) {
      }
    } catch (...) {
      const std::lock_guard held(mutex_);
      if (!error_) error_ = std::current_exception();
      stopped_ = true;
    }
  }

  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  bool take_next(int worker, std::byte* into) {
    const std::uint64_t at = next_.fetch_add(file_window_bytes, std::memory_order_relaxed);
    if (at >= size_) return false;
    const std::span window(into,
                           std::size_t(std::min<std::uint64_t>(file_window_bytes, size_ - at)));
    const std::size_t got = require(from_.stream.fill_at(start_ + at, window), from_.name);
    if (got < window.size())
      throw failure(messages::became_shorter(from_.stream.name()), from_.name);
    make_native(from_.stored, window);
    const auto item_bytes = std::int64_t(size_bytes(from_.stored.type));
    take_(worker, {into, from_.stored.type, {{std::int64_t(got) / item_bytes, item_bytes}}});
    done_.fetch_add(got, std::memory_order_relaxed);
    show();
    return true;
  }

  // By whichever worker comes while no other one draws.
  void show() {
    const std::unique_lock drawing(drawing_, std::try_to_lock);
    if (!drawing) return;
    const std::uint64_t done = done_.load(std::memory_order_relaxed);
    bar_.advance(done - shown_);
    shown_ = done;
  }

  const input& from_;
  const taker& take_;
  std::uint64_t start_, size_;
  std::atomic<std::uint64_t> next_ = 0, done_ = 0;
  std::mutex drawing_;
  std::uint64_t shown_ = 0;  // guarded by drawing_, as the bar
  progress bar_;
  std::atomic<bool> stopped_ = false;
  std::mutex mutex_;
  std::exception_ptr error_;
};

}  // namespace

std::uint64_t for_each_file_window(const input& from, const request& request, int workers,
                                   const std::function<void(int, const array_view&)>& take) {
  file_reading all(from, request, take);
  {
    std::vector<std::jthread> others;
    others.reserve(std::size_t(workers));
    try {
      for (int i = 1; i < workers; ++i) others.emplace_back([&all, i] { all.work(i); });
    } catch (const std::system_error&) {
      // Continue with the threads that could be started.
    }
    all.work(0);
  }
  all.rethrow();
  return *from.stored.data_bytes();
}

}  // namespace onefold::program
