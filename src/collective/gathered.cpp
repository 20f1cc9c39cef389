// SPDX-License-Identifier: Apache-2.0
// States that were gathered as bytes, merged in their order.
#include <algorithm>
#include <optional>

#include "onefold/collective.hpp"

namespace onefold {
namespace {

// The bytes of the first state: docs/specification.md, section 5.
std::size_t size_of_first(std::span<const std::byte> bytes) {
  constexpr std::size_t header = 16;
  if (bytes.size() < header) return bytes.size();
  std::size_t words = 0;
  for (std::size_t i = 0; i < 4; ++i)
    words |= std::to_integer<std::size_t>(bytes[12 + i]) << (8 * i);
  return std::min(bytes.size(), header + 8 * words);
}

}  // namespace

result<state> merge_gathered(std::span<const std::byte> bytes) try {
  std::optional<state> all;
  do {
    const std::size_t size = size_of_first(bytes);
    auto next = state::from_bytes(bytes.first(size));
    bytes = bytes.subspan(size);
    if (!next) return next;
    if (!all) {
      all = *next;
      continue;
    }
    // Bytes have no position: the elements are those after the ones before.
    state after(next->op(), next->input(), all->count());
    detail::state_access::known(after) = detail::state_access::known(*next);
    if (auto done = all->try_merge(after); !done) return done;
  } while (!bytes.empty());
  return *all;
} catch (...) {
  return detail::memory_refused();
}

}  // namespace onefold
