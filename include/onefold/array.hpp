// SPDX-License-Identifier: Apache-2.0
// A row-major array that owns its memory: the answers of a reduction over some of the axes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "onefold/array_view.hpp"

namespace onefold {

/// A row-major array. Shape: as given; rank 0 holds one element.
template <element T>
class array {
 public:
  array() : array(std::vector<std::int64_t>{0}) {}
  /// Elements are zero. Precondition: no extent is negative, and memory holds their product.
  explicit array(std::vector<std::int64_t> shape) : shape_(std::move(shape)) {
    for (const std::int64_t extent : shape_) size_ *= extent;
    elements_ = std::make_unique<T[]>(static_cast<std::size_t>(size_));
  }
  array(const array& other) : array(other.shape_) {
    std::copy(other.begin(), other.end(), begin());
  }
  array(array&&) noexcept = default;
  array& operator=(array other) noexcept {
    std::swap(shape_, other.shape_), std::swap(size_, other.size_);
    std::swap(elements_, other.elements_);
    return *this;
  }
  ~array() = default;

  const std::vector<std::int64_t>& shape() const noexcept { return shape_; }
  std::int64_t size() const noexcept { return size_; }
  T* data() noexcept { return elements_.get(); }
  const T* data() const noexcept { return elements_.get(); }

  /// The element at a flat, row-major index. Precondition: 0 <= i < size().
  T& operator[](std::int64_t i) noexcept { return elements_[static_cast<std::size_t>(i)]; }
  const T& operator[](std::int64_t i) const noexcept {
    return elements_[static_cast<std::size_t>(i)];
  }

  T* begin() noexcept { return data(); }
  T* end() noexcept { return data() + size_; }
  const T* begin() const noexcept { return data(); }
  const T* end() const noexcept { return data() + size_; }

  axis_list axes() const { return row_major(shape_, std::int64_t(sizeof(T))); }
  operator view<T>() const { return view<T>(data(), axes()); }  // NOLINT: implicit by design

  friend bool operator==(const array& a, const array& b) {
    return a.shape_ == b.shape_ && std::equal(a.begin(), a.end(), b.begin());
  }

 private:
  std::vector<std::int64_t> shape_;
  std::int64_t size_ = 1;
  std::unique_ptr<T[]> elements_;
};

}  // namespace onefold
