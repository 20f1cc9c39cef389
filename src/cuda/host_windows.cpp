// SPDX-License-Identifier: Apache-2.0
// Streams host data through the device with double buffering.
#include "cuda/host_windows.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "cuda/accumulate_range.hpp"
#include "request/tuning.hpp"

namespace onefold::cuda {
namespace {

struct host_data {
  const std::byte* x;
  const std::byte* y;  // null where there is one array
  bool pinned;
  device_resource* memory;  // null: the slots' own
  std::int64_t item_bytes;
  std::size_t window;  // bytes of a window, both arrays together

  std::int64_t bytes_an_item() const { return item_bytes * (y != nullptr ? 2 : 1); }
  std::int64_t window_items() const { return std::int64_t(window) / bytes_an_item(); }
};

/// A slot and the window that it processes.
class lane {
 public:
  lane(int device, const host_data& from, dtype input, std::span<const target> into)
      : slot_(device), from_(from) {
    slot_->borrow_from({from.memory, slot_->stream()});
    reserve_all(*slot_, from.window_items(), input, into);
    slot_->reserve_window(from.window, !from.pinned);
  }

  void begin(const device_range& window, dtype input, std::span<const target> into) {
    window_ = window;
    const std::int64_t first = window.first_index, bytes = window.n * from_.item_bytes;
    const std::int64_t half = from_.window_items() * from_.item_bytes;
    window_.x = copied(from_.x, first, bytes, 0);
    if (from_.y != nullptr) window_.y = copied(from_.y, first, bytes, half);
    launch_all(*slot_, window_, input, into, slot_->stream());
  }

  bool busy() const { return window_.n > 0; }

  /// Waits for the window and merges it into the states.
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
  device_range window_;
};

using lanes = std::vector<std::unique_ptr<lane>>;

lanes open(std::size_t count, int device, const host_data& from, dtype input,
           std::span<const target> into) {
  lanes made;
  while (made.size() < count) made.push_back(std::make_unique<lane>(device, from, input, into));
  return made;
}

// Ordered parts need whole chunks; all sizes are powers of two.
std::size_t least_window(const host_data& from, std::span<const target> into) {
  const bool in_chunks = std::any_of(into.begin(), into.end(),
                                     [](const target& each) { return each.tree != nullptr; });
  const auto chunk = std::size_t(tuning::chunk_items * from.bytes_an_item());
  return in_chunks ? std::max(least_window_bytes, chunk) : least_window_bytes;
}

// Opens as many lanes with windows as large as device memory allows.
lanes open_what_fits(int device, host_data& from, std::int64_t items, dtype input,
                     std::span<const target> into) {
  const std::size_t least = least_window(from, into);
  std::size_t count = items > from.window_items() ? 2 : 1;
  while (true) try {
      return open(count, device, from, input, into);
    } catch (const error& failed) {
      if (failed.why().code() != status_code::out_of_memory) throw;
      if (drop_kept_slots(device)) continue;
      if (from.window > least)
        from.window /= 2;
      else if (std::exchange(count, 1) == 1)
        throw;
    }
}

}  // namespace

void accumulate_windows(const executor::cuda& on, const request& request, const where& at,
                        std::span<const target> into) {
  const dtype input = request.plan.input;
  host_data from = {static_cast<const std::byte*>(request.x),
                    static_cast<const std::byte*>(request.y),
                    at.kind == memory::pinned,
                    on.memory,
                    std::int64_t(size_bytes(input)),
                    window_bytes};
  const std::int64_t items = request.plan.items;
  const lanes open = open_what_fits(at.device, from, items, input, into);
  std::int64_t done = 0;
  const auto end = [&](lane& each) {
    if (!each.busy()) return;
    done += each.end(request.options.first_index, input, into);
    if (request.options.progress) request.options.progress(request.before + done, request.all);
  };
  const std::int64_t step = from.window_items();
  std::size_t turn = 0;
  const auto pass_on = [&] { turn = (turn + 1) % open.size(); };
  for (std::int64_t first = 0; first < items; first += step, pass_on()) {
    end(*open[turn]);
    if (request.options.stop.stop_requested())
      throw error({status_code::cancelled, "the caller asked to stop"});
    open[turn]->begin({nullptr, nullptr, std::min(step, items - first), first}, input, into);
  }
  for (std::size_t i = 0; i < open.size(); ++i, pass_on()) end(*open[turn]);
  for (auto each = open.rbegin(); each != open.rend(); ++each)
    (*each)->give_back();  // borrow the first one first again
}

}  // namespace onefold::cuda
