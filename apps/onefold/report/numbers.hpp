// SPDX-License-Identifier: Apache-2.0
// The answers of one operator over one input: one number, or an array of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "onefold/array_view.hpp"
#include "report/number.hpp"

namespace onefold::program {

class numbers {
 public:
  /// Zeros. Shape: row-major; rank 0 is one number.
  explicit numbers(dtype type, std::vector<std::int64_t> shape = {});
  numbers(const number& one);  // NOLINT: implicit by design

  dtype type() const noexcept { return type_; }
  /// Whether the numbers are decimals with all their digits.
  bool decimal() const noexcept { return !digits_.empty(); }
  const std::vector<std::int64_t>& shape() const noexcept { return shape_; }
  std::int64_t size() const noexcept { return size_; }
  /// The number at a flat, row-major index. Precondition: 0 <= i < size().
  number operator[](std::int64_t i) const;
  /// Precondition: `value` has this type.
  void set(std::int64_t i, const number& value);

  /// The destination for a reduction.
  output_view place();
  /// The destination of `count` neighbours from a flat index on, as a row or, for one, a scalar.
  output_view place(std::int64_t i, std::int64_t count);

 private:
  dtype type_;
  std::vector<std::int64_t> shape_;
  std::int64_t size_ = 1;
  std::vector<std::byte> bytes_;
  std::vector<std::string> digits_;  // for decimals, else empty
};

}  // namespace onefold::program
