// SPDX-License-Identifier: Apache-2.0
#include "simt/arena.hpp"

#include <algorithm>
#include <stdexcept>

namespace onefold::simt {
namespace {

constexpr int poison = 0xFF;

std::size_t distance(const buffer& b, std::size_t offset) {
  if (offset < b.offset) return b.offset - offset;
  const std::size_t end = b.offset + b.size_bytes;
  return offset < end ? 0 : offset - end + 1;
}

}  // namespace

arena::arena() : memory_(capacity_bytes), written_(capacity_bytes) {
  std::memset(memory_.data(), poison, red_zone_bytes);
}

std::byte* arena::place(std::size_t bytes, std::string name) {
  const std::size_t zone = red_zone_bytes + alignment_bytes;
  if (bytes > capacity_bytes - next_ || capacity_bytes - next_ - bytes < zone) {
    throw std::length_error("device memory: no room for " + std::to_string(bytes) + " bytes of '" +
                            name + "'; the arena holds " + std::to_string(capacity_bytes) +
                            ", use fewer elements");
  }
  std::byte* at = memory_.data() + next_;
  std::memset(at, poison, bytes + zone);
  buffers_.push_back({std::move(name), next_, bytes});
  const std::size_t end = next_ + bytes + red_zone_bytes;
  next_ = (end + alignment_bytes - 1) / alignment_bytes * alignment_bytes;
  return at;
}

void arena::release(std::size_t offset) {
  for (buffer& b : buffers_) b.freed |= b.offset == offset;
}

const buffer* arena::nearest(std::size_t offset) const {
  const auto closer = [offset](const buffer& a, const buffer& b) {
    return distance(a, offset) < distance(b, offset);
  };
  const auto found = std::min_element(buffers_.begin(), buffers_.end(), closer);
  return found == buffers_.end() ? nullptr : &*found;
}

}  // namespace onefold::simt
