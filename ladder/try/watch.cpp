// SPDX-License-Identifier: Apache-2.0
#include "ladder/try/watch.hpp"

#include <algorithm>

namespace onefold::ladder::learner {

void buffer_watch::access(const simt::memory_access& access) {
  last_site_ = access.site;
  if (access.where != simt::space::global) return;
  const bool reads = !access.writes || access.reads;
  if (reads && input_.holds(access)) {
    const std::size_t first = (access.offset - input_.offset) / item_bytes_;
    const std::size_t items = std::max<std::size_t>(1, access.size_bytes / item_bytes_);
    for (std::size_t i = first; i < first + items; ++i) {
      reads_[i] = static_cast<std::uint8_t>(std::min(reads_[i] + 1, 2));
    }
  }
  for (followed& f : followed_) {
    if (!f.place.holds(access)) continue;
    const auto first =
        f.written.begin() + static_cast<std::ptrdiff_t>(access.offset - f.place.offset);
    const auto last = first + access.size_bytes;
    f.read_first |= reads && std::find(first, last, false) != last;
    if (access.writes) std::fill(first, last, true);
  }
}

std::size_t buffer_watch::never_read() const {
  return static_cast<std::size_t>(std::count(reads_.begin(), reads_.end(), 0));
}

std::size_t buffer_watch::read_again() const {
  return static_cast<std::size_t>(std::count(reads_.begin(), reads_.end(), 2));
}

bool buffer_watch::wrote(std::size_t buffer, std::size_t first_byte, std::size_t last_byte) const {
  const auto begin = followed_[buffer].written.begin();
  return std::find(begin + static_cast<std::ptrdiff_t>(first_byte),
                   begin + static_cast<std::ptrdiff_t>(last_byte),
                   true) != begin + static_cast<std::ptrdiff_t>(last_byte);
}

}  // namespace onefold::ladder::learner
