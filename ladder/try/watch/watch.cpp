// SPDX-License-Identifier: Apache-2.0
#include "ladder/try/watch/watch.hpp"

#include <algorithm>

namespace onefold::ladder::learner {

void buffer_watch::access(const simt::memory_access& access) {
  last_site_ = access.site;
  most_accesses_ = std::max(most_accesses_, ++lane_accesses_[access.who.thread]);
  const bool reads = !access.writes || access.reads;
  note_poll(access, reads);
  if (access.where != simt::space::global) return;
  for (watched_input& in : inputs_) {
    if (!reads || !in.place.holds(access)) continue;
    const std::size_t first = (access.offset - in.place.offset) / in.item_bytes;
    const std::size_t items = std::max<std::size_t>(1, access.size_bytes / in.item_bytes);
    for (std::size_t i = first; i < first + items; ++i) {
      in.reads[i] = static_cast<std::uint8_t>(std::min(in.reads[i] + 1, 2));
    }
  }
  for (followed& f : followed_) {
    if (!f.place.holds(access)) continue;
    const auto first =
        f.written.begin() + static_cast<std::ptrdiff_t>(access.offset - f.place.offset);
    const auto last = first + access.size_bytes;
    f.read |= reads;
    f.read_plainly |= reads && !access.atomic;
    f.read_first |= reads && std::find(first, last, false) != last;
    if (f.item_bytes != 0) note_items(f, access, reads);
    if (access.writes) std::fill(first, last, true);
  }
}

void buffer_watch::note_items(followed& f, const simt::memory_access& access, bool reads) {
  const std::size_t byte = access.offset - f.place.offset;
  const std::size_t first = byte / f.item_bytes;
  const std::size_t last = (byte + access.size_bytes + f.item_bytes - 1) / f.item_bytes;
  for (std::size_t i = first; i < std::min(last, f.writers.size()); ++i) {
    if (reads && !access.atomic && !f.written[i * f.item_bytes]) f.first_reads[i] = true;
    if (access.writes) f.writers[i] = access.site;
  }
}

std::size_t buffer_watch::items_read_first(std::size_t buffer) const {
  const std::vector<bool>& items = followed_[buffer].first_reads;
  return static_cast<std::size_t>(std::count(items.begin(), items.end(), true));
}

std::uintptr_t buffer_watch::writer_of(std::size_t buffer, std::size_t item) const {
  const std::vector<simt::site_id>& writers = followed_[buffer].writers;
  if (item >= writers.size() || writers[item] == simt::no_site || sites_ == nullptr) return 0;
  return sites_->pc_of(writers[item]);
}

std::size_t buffer_watch::last_written_byte(std::size_t buffer) const {
  const std::vector<bool>& written = followed_[buffer].written;
  return static_cast<std::size_t>(written.rend() -
                                  std::find(written.rbegin(), written.rend(), true));
}

/// A wait may be written with atomics, which write what they have read.
void buffer_watch::note_poll(const simt::memory_access& access, bool reads) {
  const bool global = access.where == simt::space::global;
  const bool again = global && reads && (!access.writes || access.atomic);
  polls_ = !again ? 0 : access.offset == polled_ ? polls_ + 1 : 1;
  if (again) polled_ = access.offset;
  if (global && access.writes && polls_ <= 1) written_offsets_.insert(access.offset);
}

std::optional<std::size_t> buffer_watch::polled_offset() const {
  if (polls_ < many_polls || !written_offsets_.contains(polled_)) return {};
  return polled_;
}

std::size_t buffer_watch::elements_read(std::uint8_t times) const {
  std::ptrdiff_t count = 0;
  for (const watched_input& in : inputs_)
    count += std::count(in.reads.begin(), in.reads.end(), times);
  return static_cast<std::size_t>(count);
}

std::size_t buffer_watch::never_read() const {
  return elements_read(0);
}

std::size_t buffer_watch::read_again() const {
  return elements_read(2);
}

std::size_t buffer_watch::read_again(std::size_t input) const {
  const std::vector<std::uint8_t>& reads = inputs_[input].reads;
  return static_cast<std::size_t>(std::count(reads.begin(), reads.end(), std::uint8_t{2}));
}

std::size_t buffer_watch::items_written(std::size_t buffer) const {
  const std::vector<simt::site_id>& writers = followed_[buffer].writers;
  const auto untouched = std::count(writers.begin(), writers.end(), simt::no_site);
  return writers.size() - static_cast<std::size_t>(untouched);
}

bool buffer_watch::wrote(std::size_t buffer, std::size_t first_byte, std::size_t last_byte) const {
  const auto begin = followed_[buffer].written.begin();
  return std::find(begin + static_cast<std::ptrdiff_t>(first_byte),
                   begin + static_cast<std::ptrdiff_t>(last_byte),
                   true) != begin + static_cast<std::ptrdiff_t>(last_byte);
}

}  // namespace onefold::ladder::learner
