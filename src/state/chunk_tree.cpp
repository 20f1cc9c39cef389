// SPDX-License-Identifier: Apache-2.0
// Merging chunk states pairwise, as a binary counter.
#include "state/chunk_tree.hpp"

#include <bit>

namespace onefold {

void append(ordered_state& left, const ordered_state& right) {
  std::visit([&]<class State>(State& front) { front.append(std::get<State>(right)); }, left);
}

void chunk_tree::push(const ordered_state& complete, std::uint64_t weight) {
  pending_.push_back(complete);
  chunks_ += weight;
  for (int pairs = std::countr_zero(chunks_ / weight); pairs > 0; --pairs) {
    append(pending_[pending_.size() - 2], pending_.back());
    pending_.pop_back();
  }
}

ordered_state chunk_tree::value() const {
  if (pending_.empty()) return nothing_;
  ordered_state rest = pending_.back();
  for (auto i = pending_.size() - 1; i > 0; --i) {
    ordered_state front = pending_[i - 1];
    append(front, rest);
    rest = front;
  }
  return rest;
}

}  // namespace onefold
