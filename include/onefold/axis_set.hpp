// SPDX-License-Identifier: Apache-2.0
// The set of axes to reduce: all of them, the named ones, or none.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>

#include "onefold/array_view.hpp"

namespace onefold {

/// All axes, where axes are named: sum(x, all_axes).
struct all_axes_t {
  explicit all_axes_t() = default;
};
inline constexpr all_axes_t all_axes{};

/// A list of axes in any order, or all_axes; a negative number counts from the last axis. An empty
/// list reduces no axis: each element has its own answer.
class axis_set {
 public:
  /// No axis.
  axis_set() noexcept {}  // NOLINT: leaves the storage uninitialised, on purpose
  /// All axes: one answer.
  axis_set(all_axes_t) noexcept : all_(true) {}  // NOLINT: implicit by design
  axis_set(std::initializer_list<int> axes) noexcept
      : axis_set(std::span(axes.begin(), axes.size())) {}
  /// Keeps the first max_rank + 1 axes: so many name one twice, and a request refuses that.
  explicit axis_set(std::span<const int> axes) noexcept {
    for (const int one : axes)
      if (size_ <= max_rank) axes_[size_++] = one;
  }

  axis_set(const axis_set& other) noexcept : all_(other.all_) { copy_axes(other); }
  axis_set& operator=(const axis_set& other) noexcept {
    if (this != &other) all_ = other.all_, copy_axes(other);
    return *this;
  }
  ~axis_set() = default;

  bool all() const noexcept { return all_; }
  std::span<const int> list() const noexcept { return {axes_, static_cast<std::size_t>(size_)}; }

  friend bool operator==(const axis_set& a, const axis_set& b) noexcept {
    return a.all_ == b.all_ && std::equal(a.axes_, a.axes_ + a.size_, b.axes_, b.axes_ + b.size_);
  }

 private:
  void copy_axes(const axis_set& other) noexcept {
    size_ = other.size_;
    for (int i = 0; i < size_; ++i) axes_[i] = other.axes_[i];
  }

  bool all_ = false;
  int size_ = 0;
  int axes_[max_rank + 1];
};

/// The set of these axes: axis(1), axis(0, -1). axis() is the empty set.
template <class... Axes>
axis_set axis(Axes... axes) noexcept {
  return {static_cast<int>(axes)...};
}

}  // namespace onefold
