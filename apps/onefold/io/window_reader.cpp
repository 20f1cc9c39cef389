// SPDX-License-Identifier: Apache-2.0
// Double buffering with a reader thread.
#include "io/window_reader.hpp"

#include <algorithm>

#include "messages.hpp"

namespace onefold::program {
namespace {

constexpr std::align_val_t page{4096};

}  // namespace

void window_reader::aligned_delete::operator()(std::byte* bytes) const noexcept {
  ::operator delete(bytes, page);
}

window_reader::window_reader(source& input, window_settings settings)
    : input_(input), settings_(std::move(settings)) {
  const bool one_window = settings_.limit_bytes && *settings_.limit_bytes <= settings_.window_bytes;
  if (one_window) settings_.window_bytes = std::max<std::size_t>(1, *settings_.limit_bytes);
  for (buffer& buffer : buffers_) {
    buffer.bytes.reset(static_cast<std::byte*>(::operator new(settings_.window_bytes, page)));
    if (one_window) return;
  }
  thread_ = std::jthread([this](const std::stop_token& stop) { read_ahead(stop); });
}

window_reader::~window_reader() = default;

std::size_t window_reader::wanted_bytes() const noexcept {
  if (!settings_.limit_bytes) return settings_.window_bytes;
  const std::uint64_t left = *settings_.limit_bytes - read_bytes_;
  return std::size_t(std::min<std::uint64_t>(left, settings_.window_bytes));
}

void window_reader::read_into(buffer& into, const std::stop_token& stop) {
  const auto space = std::span(into.bytes.get(), wanted_bytes());
  const auto got = settings_.full ? input_.fill(space, stop) : input_.read_some(space, stop);
  into.why = got ? status{} : got.why();
  into.filled = got ? *got : 0;
  read_bytes_ += into.filled;
  const bool ended = settings_.full ? into.filled < space.size() : into.filled == 0;
  if (into.why.ok() && ended && settings_.limit_bytes && read_bytes_ < *settings_.limit_bytes)
    into.why = input_.size_bytes()
                   ? messages::became_shorter(input_.name())
                   : messages::stream_ended(input_.name(), read_bytes_, *settings_.limit_bytes);
  if (settings_.prepare) settings_.prepare(space.first(into.filled));
}

void window_reader::read_ahead(const std::stop_token& stop) {
  for (int i = 0; !stop.stop_requested(); i ^= 1) {
    buffer& into = buffers_[i];
    {
      std::unique_lock held(mutex_);
      if (!changed_.wait(held, stop, [&] { return !into.full; })) return;
    }
    read_into(into, stop);
    const bool last = !into.why || into.filled == 0;
    {
      const std::lock_guard held(mutex_);
      into.full = true;
    }
    changed_.notify_all();
    if (last) return;
  }
}

result<std::span<std::byte>> window_reader::outcome(const buffer& from) const {
  if (!from.why) return from.why;
  return std::span(from.bytes.get(), from.filled);
}

result<std::span<std::byte>> window_reader::next() {
  if (!thread_.joinable()) {
    read_into(buffers_[0], {});
    return outcome(buffers_[0]);
  }
  std::unique_lock held(mutex_);
  if (current_ >= 0) {
    buffer& used = buffers_[current_];
    // The last buffer stays full: another call gets the same end or the same error.
    if (!used.why || used.filled == 0) return outcome(used);
    used.full = false;
    changed_.notify_all();
  }
  current_ = current_ < 0 ? 0 : current_ ^ 1;
  changed_.wait(held, [&] { return buffers_[current_].full; });
  return outcome(buffers_[current_]);
}

}  // namespace onefold::program
