// SPDX-License-Identifier: Apache-2.0
// Non-owning views of the input and the output: a pointer, extents, strides and an element type.
//
// The vocabulary is mdspan's, except that strides are in bytes: a column of a struct, a broadcast
// axis (0), a reversed axis (negative) and a packed record (not a multiple of the item) are all
// views. Copying a view copies only its own axes, not all 64 slots.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <ranges>
#include <span>
#include <type_traits>

#include "onefold/dtype.hpp"

namespace onefold {

inline constexpr int max_rank = 64;

/// One axis: the number of elements, and the distance of two neighbours in bytes.
struct axis_layout {
  std::int64_t extent;
  std::int64_t stride_bytes;
  friend bool operator==(const axis_layout&, const axis_layout&) = default;
};

/// Up to 64 axes, stored inline, outermost first. Only the first size() are initialised or copied.
class axis_list {
 public:
  axis_list() noexcept {}  // NOLINT: leaves the storage uninitialised, on purpose
  axis_list(std::initializer_list<axis_layout> axes) {
    for (const auto& axis : axes) push_back(axis);
  }
  axis_list(const axis_list& other) noexcept : size_(other.size_) { copy_axes(other); }
  axis_list& operator=(const axis_list& other) noexcept {
    if (this != &other) size_ = other.size_, copy_axes(other);
    return *this;
  }
  ~axis_list() = default;

  int size() const noexcept { return size_; }
  bool empty() const noexcept { return size_ == 0; }
  /// Precondition: size() < max_rank.
  void push_back(axis_layout axis) noexcept { axes_[size_++] = axis; }
  void resize(int size) noexcept { size_ = size; }
  axis_layout& operator[](int i) noexcept { return axes_[i]; }
  const axis_layout& operator[](int i) const noexcept { return axes_[i]; }
  axis_layout* begin() noexcept { return axes_; }
  axis_layout* end() noexcept { return axes_ + size_; }
  const axis_layout* begin() const noexcept { return axes_; }
  const axis_layout* end() const noexcept { return axes_ + size_; }

  friend bool operator==(const axis_list& a, const axis_list& b) noexcept {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }

 private:
  void copy_axes(const axis_list& other) noexcept {
    for (int i = 0; i < size_; ++i) axes_[i] = other.axes_[i];
  }

  int size_ = 0;
  axis_layout axes_[max_rank];
};

/// Row-major axes of these extents: the last is contiguous. A stride of 2^63 bytes or more becomes
/// 2^63 - 1; a request that takes a step of that stride refuses it. Precondition: at most max_rank
/// extents.
inline axis_list row_major(std::span<const std::int64_t> extents, std::int64_t item_bytes) {
  axis_list axes;
  for (const std::int64_t extent : extents) axes.push_back({extent, 0});
  for (int i = axes.size() - 1; i >= 0; --i) {
    axes[i].stride_bytes = item_bytes;
    if (__builtin_mul_overflow(item_bytes, axes[i].extent, &item_bytes))
      item_bytes = std::numeric_limits<std::int64_t>::max();
  }
  return axes;
}

enum class memory_space : unsigned char { host };

/// A contiguous range of element types: vector, span, array, C array.
template <class R>
concept contiguous_elements = std::ranges::contiguous_range<R> && std::ranges::sized_range<R> &&
    element<std::remove_cv_t<std::ranges::range_value_t<R>>>;

namespace detail {

template <class C>
concept has_data = requires(const C& c, typename C::value_type x) {
  requires element<typename C::value_type>;
  requires std::is_pointer_v<decltype(c.data())>;
  requires std::is_same_v < std::remove_cvref_t<decltype(*c.data())>,
  decltype(x) > ;
};

/// There may be gaps between the elements: such a class needs a view, which has strides too.
template <class C>
concept has_strides = requires(const C& c) {
  c.strides();
}
|| requires(const C& c) {
  c.stride(0);
};

template <class C>
concept sized_data = has_data<C> && !has_strides<C> && requires(const C& c) {
  { c.size() } -> std::integral;
};

/// Eigen's vectors, matrices, maps and blocks, with their strides in elements.
template <class C>
concept dense_matrix = has_data<C> && requires(const C& c) {
  { c.rows() } -> std::integral;
  { c.cols() } -> std::integral;
  { c.rowStride() } -> std::integral;
  { c.colStride() } -> std::integral;
  bool(C::IsVectorAtCompileTime);
};

template <class R>
constexpr auto data_of(const R& elements) noexcept {
  if constexpr (contiguous_elements<const R>)
    return std::ranges::data(elements);
  else
    return elements.data();
}

template <class R>
using element_of = std::remove_cvref_t<decltype(*data_of(std::declval<const R&>()))>;

}  // namespace detail

/// Elements in an order of their own, wherever an array is taken: a contiguous range, any class
/// with data() and size(), a vector or matrix of Eigen's.
template <class R>
concept element_range = contiguous_elements<R> || detail::sized_data<R> || detail::dense_matrix<R>;

/// A read-only view of elements. Shape: any rank <= 64; rank 0 is one element.
class array_view {
 public:
  array_view(const void* data, dtype type, const axis_list& axes) noexcept
      : data_(data), axes_(axes), type_(type) {}

  /// One axis of n contiguous elements.
  template <element T>
  array_view(const T* data, std::size_t n) noexcept : data_(data), type_(dtype_of<T>) {
    axes_.push_back({static_cast<std::int64_t>(n), static_cast<std::int64_t>(sizeof(T))});
  }

  /// Shape: one axis; of a matrix that is no vector its rows and columns.
  template <element_range R>
  array_view(const R& range) noexcept  // NOLINT: implicit by design
      : data_(detail::data_of(range)), type_(dtype_of<detail::element_of<R>>) {
    constexpr auto item = static_cast<std::int64_t>(sizeof(detail::element_of<R>));
    if constexpr (detail::dense_matrix<R>) {
      const axis_layout rows = {range.rows(), range.rowStride() * item};
      const axis_layout columns = {range.cols(), range.colStride() * item};
      if (!R::IsVectorAtCompileTime || range.cols() == 1) axes_.push_back(rows);
      if (!R::IsVectorAtCompileTime || range.cols() != 1) axes_.push_back(columns);
    } else {
      axes_.push_back({static_cast<std::int64_t>(std::size(range)), item});
    }
  }

  const void* data() const noexcept { return data_; }
  dtype type() const noexcept { return type_; }
  const axis_list& axes() const noexcept { return axes_; }
  int rank() const noexcept { return axes_.size(); }
  memory_space space() const noexcept { return memory_space::host; }

 private:
  const void* data_;
  axis_list axes_;
  dtype type_;
};

/// A view whose element type is known at compile time.
template <element T>
class view : public array_view {
 public:
  using array_view::array_view;
  /// Row major: the last axis is contiguous. Precondition: at most max_rank extents.
  view(const T* data, std::initializer_list<std::int64_t> extents) noexcept
      : array_view(data, dtype_of<T>,
                   row_major(std::span(extents.begin(), extents.size()), std::int64_t(sizeof(T)))) {
  }
  view(const T* data, const axis_list& axes) noexcept : array_view(data, dtype_of<T>, axes) {}
};

namespace detail {

/// A contiguous iterator over elements, a pointer among them.
template <class I>
concept element_iterator = std::contiguous_iterator<I> && element<std::iter_value_t<I>>;

/// Of no type that the API takes for elements.
template <class X>
concept not_elements =
    !element_range<X> && !element_iterator<X> && !std::is_convertible_v<const X&, array_view>;

/// The one error of a call with such an argument.
template <not_elements X>
struct refused_elements {
  static_assert(!not_elements<X>,
                "onefold: give a contiguous container, (first, last), (pointer, n) or a view, of "
                "bool, integers of 8 to 64 bits (not char), onefold::f16, onefold::bf16, float or "
                "double");
};

}  // namespace detail

/// The destination of the answers: one (rank 0), or one for each index of the kept axes.
class output_view {
 public:
  template <element T>
  output_view(T& value) noexcept : data_(&value), type_(dtype_of<T>) {}  // NOLINT: implicit
  output_view(void* data, dtype type) noexcept : data_(data), type_(type) {}
  output_view(void* data, dtype type, const axis_list& axes) noexcept
      : data_(data), axes_(axes), type_(type) {}

  void* data() const noexcept { return data_; }
  dtype type() const noexcept { return type_; }
  const axis_list& axes() const noexcept { return axes_; }

 private:
  void* data_;
  axis_list axes_;
  dtype type_;
};

}  // namespace onefold
