// SPDX-License-Identifier: Apache-2.0
#include "cuda/host_windows.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "cuda/pass.hpp"

namespace onefold::cuda {
namespace {

struct host_data {
  const std::byte* x;
  const std::byte* y;  // null where there is none
  bool pinned;
  std::int64_t item_bytes;

  std::int64_t window_items() const {
    return std::int64_t(window_bytes) / (item_bytes * (y != nullptr ? 2 : 1));
  }
};

/// A slot with the window that it works on.
class lane {
 public:
  lane(int device, const host_data& from) : slot_(device), from_(from) {}

  void begin(const stretch& window, dtype input, std::span<const target> into) {
    window_ = window;
    const std::int64_t first = window.first_index, bytes = window.n * from_.item_bytes;
    const std::int64_t half = from_.window_items() * from_.item_bytes;
    window_.x = copied(from_.x, first, bytes, 0);
    if (from_.y != nullptr) window_.y = copied(from_.y, first, bytes, half);
    launch_all(*slot_, window_, input, into, slot_->stream());
  }

  bool busy() const { return window_.n > 0; }

  /// Waits for the window, and adds it to the states.
  std::int64_t end(std::int64_t first_index, dtype input, std::span<const target> into) {
    check(cudaStreamSynchronize(slot_->stream()), "reducing a window");
    window_.first_index += first_index;
    merge_all(*slot_, window_, input, into);
    return std::exchange(window_, {}).n;
  }

  void give_back() { slot_.give_back(); }

 private:
  const void* copied(const std::byte* from, std::int64_t first, std::int64_t bytes,
                     std::int64_t offset) {
    const std::byte* source = from + first * from_.item_bytes;
    if (!from_.pinned) {
      std::byte* const staged = slot_->staging() + offset;
      std::memcpy(staged, source, std::size_t(bytes));
      source = staged;
    }
    std::byte* const to = slot_->buffer() + offset;
    check(cudaMemcpyAsync(to, source, std::size_t(bytes), cudaMemcpyHostToDevice, slot_->stream()),
          "copying a window to the device");
    return to;
  }

  borrowed_slot slot_;
  const host_data& from_;
  stretch window_;
};

}  // namespace

void accumulate_windows(const request& of, int device, bool pinned, std::span<const target> into) {
  const dtype input = of.decided.input;
  const host_data from = {static_cast<const std::byte*>(of.x), static_cast<const std::byte*>(of.y),
                          pinned, std::int64_t(size_bytes(input))};
  std::optional<lane> lanes[2];  // the second for those who have a second window
  const std::int64_t items = of.decided.items, step = from.window_items();
  std::int64_t done = 0;
  const auto end = [&](std::optional<lane>& each) {
    if (!each || !each->busy()) return;
    done += each->end(of.how.first_index, input, into);
    if (of.how.progress) of.how.progress(of.before + done, of.all);
  };
  int turn = 0;
  for (std::int64_t first = 0; first < items; first += step, turn ^= 1) {
    end(lanes[turn]);
    if (of.how.stop.stop_requested())
      throw error({status_code::cancelled, "the caller asked to stop"});
    if (!lanes[turn]) lanes[turn].emplace(device, from);
    lanes[turn]->begin({nullptr, nullptr, std::min(step, items - first), first}, input, into);
  }
  end(lanes[turn]), end(lanes[turn ^ 1]);
  for (const int each : {1, 0})  // the first one is borrowed first again
    if (lanes[each]) lanes[each]->give_back();
}

}  // namespace onefold::cuda
