// SPDX-License-Identifier: Apache-2.0
// The execution plan of a request: a plain value that can be compared, printed and tested.
//
// A plan is a pure function of the request and of two facts of the machine (threads and SIMD
// target). No exact answer depends on it; a fast one depends on chunk_items and on the order of
// the axes only.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

#include "onefold/array_view.hpp"
#include "onefold/detail/config.hpp"
#include "onefold/executor.hpp"
#include "onefold/op_list.hpp"
#include "onefold/options.hpp"
#include "onefold/status.hpp"

namespace onefold {

/// The shape of the reduction after canonicalisation.
enum class shape : unsigned char {
  full,     ///< one answer
  rows,     ///< many answers; neighbours in memory belong to the same one
  columns,  ///< many answers; neighbours in memory belong to different ones
};

/// How the elements reach the vector loops.
enum class path : unsigned char {
  nothing,   ///< no elements
  in_place,  ///< contiguous, aligned runs, read directly
  packed,    ///< gathered chunk by chunk into a buffer that stays in cache
};

constexpr std::string_view name(shape which) noexcept {
  constexpr std::string_view names[] = {"full", "rows", "columns"};
  return names[static_cast<unsigned>(which)];
}
constexpr std::string_view name(path which) noexcept {
  constexpr std::string_view names[] = {"nothing", "in_place", "packed"};
  return names[static_cast<unsigned>(which)];
}

/// One axis of the loops: the distance of neighbours in each of the operands.
struct loop_axis {
  std::int64_t extent;
  std::int64_t x_bytes;      ///< in the first view
  std::int64_t y_bytes;      ///< in the second, for products
  std::int64_t mask_bytes;   ///< in options::where
  std::int64_t index_items;  ///< in the row-major order of the answers; 0 for a reduced axis
  friend bool operator==(const loop_axis&, const loop_axis&) = default;
};

/// Up to 64 axes, stored inline, outermost first. Only the first size() are initialised or copied.
class loop_nest {
 public:
  loop_nest() noexcept {}  // NOLINT: leaves the storage uninitialised, on purpose
  loop_nest(const loop_nest& other) noexcept : size_(other.size_) { copy_axes(other); }
  loop_nest& operator=(const loop_nest& other) noexcept {
    if (this != &other) size_ = other.size_, copy_axes(other);
    return *this;
  }
  ~loop_nest() = default;

  int size() const noexcept { return size_; }
  bool empty() const noexcept { return size_ == 0; }
  /// Precondition: size() < max_rank.
  void push_back(const loop_axis& axis) noexcept { axes_[size_++] = axis; }
  void resize(int size) noexcept { size_ = size; }
  loop_axis& operator[](int i) noexcept { return axes_[i]; }
  const loop_axis& operator[](int i) const noexcept { return axes_[i]; }
  loop_axis* begin() noexcept { return axes_; }
  loop_axis* end() noexcept { return axes_ + size_; }
  const loop_axis* begin() const noexcept { return axes_; }
  const loop_axis* end() const noexcept { return axes_ + size_; }

  /// The number of index combinations; 1 without axes.
  std::int64_t items() const noexcept {
    std::int64_t product = 1;
    for (const loop_axis& axis : *this) product *= axis.extent;
    return product;
  }

  friend bool operator==(const loop_nest& a, const loop_nest& b) noexcept {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }

 private:
  void copy_axes(const loop_nest& other) noexcept {
    for (int i = 0; i < size_; ++i) axes_[i] = other.axes_[i];
  }

  int size_ = 0;
  loop_axis axes_[max_rank];
};

/// The offset of the first element in bytes from each operand's pointer.
struct loop_origin {
  std::int64_t x_bytes = 0;
  std::int64_t y_bytes = 0;
  std::int64_t mask_bytes = 0;
  std::int64_t index = 0;  ///< of the first answer, in the row-major order of the answers
  friend bool operator==(const loop_origin&, const loop_origin&) = default;
};

struct plan {
  op_list ops;
  dtype input = dtype::f64;  ///< the element type of the loops; both views of a product
  onefold::accuracy accuracy = onefold::accuracy::exact;
  onefold::nan_policy nan_policy = onefold::nan_policy::propagate;
  bool masked = false;  ///< options::where excludes elements
  bool mapped = false;  ///< a caller's function computes the elements that are reduced
  shape form = shape::full;
  path reading = path::nothing;
  loop_nest kept;     ///< one answer for each index of these
  loop_nest reduced;  ///< merged, by falling stride if the order is free, none of extent 1
  loop_origin origin;
  std::int64_t outputs = 1;      ///< answers
  std::int64_t items = 0;        ///< elements of one answer
  std::int64_t chunk_items = 0;  ///< elements of one piece of work
  std::int64_t chunks = 0;       ///< pieces of work of one answer
  int threads = 1;               ///< tasks that share the work; 1: the calling thread
  std::string_view target;       ///< the SIMD target of the loops

  friend bool operator==(const plan&, const plan&) = default;
};

/// The plan as `onefold plan` prints it: one `name value` pair a line.
ONEFOLD_API std::string to_string(const plan& plan);

/// The plan of a request on this machine. Without an output the answers are taken as contiguous.
/// Fails: mismatch (an extent below zero, a count that exceeds 63 bits, views or a mask of
/// different shapes, the wrong number of views), usage (no operator, an axis that does not exist or
/// is named twice), unsupported (an option or type that the operator does not take),
/// unsound_arithmetic.
ONEFOLD_API result<plan> make_plan(const executor& executor, const op_list& ops,
                                   std::span<const array_view> views, const options& options = {});

/// The same for a list in braces.
inline result<plan> make_plan(const executor& executor, const op_list& ops,
                              std::initializer_list<array_view> views,
                              const options& options = {}) {
  return make_plan(executor, ops, std::span(views.begin(), views.size()), options);
}

/// The same for one view.
inline result<plan> make_plan(const executor& executor, const op_list& ops, const array_view& x,
                              const options& options = {}) {
  return make_plan(executor, ops, std::span(&x, 1), options);
}

}  // namespace onefold
