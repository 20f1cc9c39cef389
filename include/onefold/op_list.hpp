// SPDX-License-Identifier: Apache-2.0
// A list of operators that one pass over the data computes together.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <iterator>
#include <span>

#include "onefold/op.hpp"

namespace onefold {

/// Up to all operators, in the order of the request.
class op_list {
 public:
  op_list() noexcept = default;
  op_list(op op) noexcept { push_back(op); }  // NOLINT: implicit by design
  op_list(std::initializer_list<op> ops) noexcept : op_list(std::span(ops.begin(), ops.size())) {}
  explicit op_list(std::span<const op> ops) noexcept {
    for (const op op : ops) push_back(op);
  }
  /// Drops operators beyond the capacity: a list longer than all_ops names one twice.
  void push_back(op op) noexcept {
    if (size_ < int(std::size(all_ops))) ops_[size_++] = op;
  }
  int size() const noexcept { return size_; }
  op operator[](int i) const noexcept { return ops_[i]; }
  const op* begin() const noexcept { return ops_; }
  const op* end() const noexcept { return ops_ + size_; }
  bool contains(op op) const noexcept { return std::find(begin(), end(), op) != end(); }
  friend bool operator==(const op_list& a, const op_list& b) noexcept {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }

 private:
  int size_ = 0;
  op ops_[std::size(all_ops)] = {};
};

}  // namespace onefold
