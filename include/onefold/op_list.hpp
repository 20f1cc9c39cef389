// SPDX-License-Identifier: Apache-2.0
// Several operators, for one pass over the data.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <iterator>
#include <span>

#include "onefold/op.hpp"

namespace onefold {

/// Up to as many operators as there are, in the order in which they were asked for.
class op_list {
 public:
  op_list() noexcept = default;
  op_list(op what) noexcept { push_back(what); }  // NOLINT: implicit by design
  op_list(std::initializer_list<op> ops) noexcept : op_list(std::span(ops.begin(), ops.size())) {}
  explicit op_list(std::span<const op> ops) noexcept {
    for (const op what : ops) push_back(what);
  }
  /// A longer list than there are operators names one twice; the rest of it is dropped.
  void push_back(op what) noexcept {
    if (size_ < int(std::size(all_ops))) ops_[size_++] = what;
  }
  int size() const noexcept { return size_; }
  op operator[](int i) const noexcept { return ops_[i]; }
  const op* begin() const noexcept { return ops_; }
  const op* end() const noexcept { return ops_ + size_; }
  bool contains(op what) const noexcept { return std::find(begin(), end(), what) != end(); }
  friend bool operator==(const op_list& a, const op_list& b) noexcept {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }

 private:
  int size_ = 0;
  op ops_[std::size(all_ops)] = {};
};

}  // namespace onefold
