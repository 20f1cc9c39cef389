// SPDX-License-Identifier: Apache-2.0
// Rows on the executor's device, of any layout, and what kernels wrote for them.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "simt/device.hpp"
#include "support/elements.hpp"

namespace onefold::cuda::test {

using onefold::test::random_source;
using onefold::test::seed;

/// Rows of a test: elements between rows, elements before the first, of x and of y.
struct layout {
  std::int64_t rows, n, gap = 0;
  int offset = 0, y_offset = 0;
  std::int64_t stride() const { return n + gap; }
  std::size_t elements() const { return std::size_t(offset + (rows - 1) * stride() + n); }
};

inline std::string text_of(const layout& layout) {
  return std::to_string(layout.rows) + " rows of " + std::to_string(layout.n) + ", gap " +
         std::to_string(layout.gap) + ", at " + std::to_string(layout.offset) + " and " +
         std::to_string(layout.y_offset) + ", ONEFOLD_TEST_SEED=" + std::to_string(seed());
}

template <class T>
class device_rows {
 public:
  device_rows(const layout& layout, std::vector<T> x) : of_(layout), elements_(std::move(x)) {
    // A row's elements alone are written: a read between rows is reported.
    auto* const memory = gpu_.memory().template allocate<T>(layout.elements(), "x");
    for (std::int64_t row = 0; row < layout.rows; ++row) {
      T* const to = memory + layout.offset + row * layout.stride();
      std::memcpy(to, elements_.data() + row * layout.n, std::size_t(layout.n) * sizeof(T));
      gpu_.memory().mark_written(gpu_.memory().offset_of(to), std::size_t(layout.n) * sizeof(T));
    }
    x_ = memory + layout.offset;
    before_.assign(std::size_t(layout.y_offset + layout.rows * layout.n + 5),
                   onefold::test::make<T>(true, 3, 5));
    y_ = gpu_.memory().copy(std::span<const T>(before_), "y");
  }

  simt::device& gpu() { return gpu_; }
  const T* x() const { return x_; }
  T* y() const { return y_ + of_.y_offset; }

  /// model(elements of a row, what is wanted of it), for all rows in order; no other byte of y has
  /// changed.
  template <class Model>
  void expect_rows(int way, const Model& model) {
    const std::string where =
        text_of(of_) + ", way " + std::to_string(way) + " of " + std::string(name(dtype_of<T>));
    SCOPED_TRACE(where);
    for (const auto& finding : gpu_.report()) ADD_FAILURE() << finding.text();
    auto wanted = before_;
    for (std::int64_t row = 0; row < of_.rows; ++row)
      model(elements_.data() + row * of_.n, wanted.data() + of_.y_offset + row * of_.n);
    EXPECT_EQ(std::memcmp(y_, wanted.data(), wanted.size() * sizeof(T)), 0)
        << "element " << first_difference(wanted);
  }

 private:
  std::size_t first_difference(const std::vector<T>& wanted) const {
    for (std::size_t i = 0; i < wanted.size(); ++i)
      if (std::memcmp(y_ + i, &wanted[i], sizeof(T)) != 0) return i;
    return wanted.size();
  }

  layout of_;
  std::vector<T> elements_, before_;
  simt::device gpu_;
  const T* x_ = nullptr;
  T* y_ = nullptr;
};

template <class T>
std::vector<T> normal_like(random_source& random, std::size_t n) {
  std::vector<T> x;
  for (std::size_t i = 0; i < n; ++i)
    x.push_back(onefold::test::any_of_exponent<T>(random, -int(random.below(6))));
  return x;
}

}  // namespace onefold::cuda::test
