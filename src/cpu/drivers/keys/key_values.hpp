// SPDX-License-Identifier: Apache-2.0
// Reads the values of a reduction by key and converts them to what the sums add: doubles, or 64-bit
// integers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "request/reduction.hpp"

namespace onefold::cpu {

/// Holds one range at a time. Elements that a mask or a NaN policy excludes keep their index.
class key_values {
 public:
  /// Precondition: at most `most` elements are read at a time. Throws std::bad_alloc.
  key_values(const reduction& reduction, std::int64_t most);

  /// Reads elements first … first + n - 1. False: there is a NaN under nan_policy::error.
  bool read(std::int64_t first, std::int64_t n);

  /// The values, for floating elements (norm1: magnitudes).
  const double* doubles() const { return doubles_.data(); }
  /// The values, for integers; for counts of every type ones and zeros.
  const std::int64_t* integers() const { return integers_.data(); }
  /// Whether the integers hold the bits of unsigned integers.
  bool is_unsigned() const { return unsigned_; }

  /// Whether element i is included. Precondition: it was read.
  bool kept(std::int64_t i) const { return mask_.empty() || mask_[std::size_t(i)] != std::byte(0); }

 private:
  void read_elements(std::int64_t first, std::int64_t n);
  void read_mask(std::int64_t first, std::int64_t n);
  bool drop_nans(std::int64_t n);
  void make_terms(std::int64_t n);

  const reduction& reduction_;
  op op_;
  bool floating_, unsigned_;
  std::vector<std::byte> raw_, mask_;
  std::vector<double> doubles_;
  std::vector<std::int64_t> integers_;
};

}  // namespace onefold::cpu
