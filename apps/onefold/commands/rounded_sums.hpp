// SPDX-License-Identifier: Apache-2.0
// The sums that programs compute in the elements' own type, with a rounding after every addition,
// and how far they are from the exact one.
//
//   naive     from left to right
//   pairwise  NumPy's scheme: halves, down to blocks of 128 elements with 8 accumulators
//   neumaier  from left to right, with the errors of the additions summed apart (Neumaier, 1974)
//
// Elements of f16 and bf16 are added in f32 and rounded to their type at once, which is the rounded
// sum of the two: 24 bits are at least 2 p + 2 for their precisions p of 11 and 8 (Figueroa, 1995).
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "onefold/array_view.hpp"
#include "report/number.hpp"

namespace onefold::program {

struct rounded_sums {
  number naive, pairwise, neumaier;
};

/// The three sums of elements that arrive in windows, in order.
class summation {
 public:
  virtual ~summation() = default;
  /// Precondition: contiguous elements of the type; no more than were announced.
  virtual void add(const array_view& window) = 0;
  /// The sums, of as many elements as were announced.
  virtual rounded_sums sums() const = 0;

  std::int64_t nan_count() const noexcept { return nans; }
  std::int64_t infinity_count() const noexcept { return infinities; }

 protected:
  std::int64_t nans = 0, infinities = 0;
};

/// `items`: all elements; the splits of the pairwise sum depend on it. Precondition: floating.
std::unique_ptr<summation> make_summation(dtype type, std::int64_t items);

/// |sum - exact| in units in the last place of `exact`, the correctly rounded sum. 0 where both are
/// equal, or both NaN; inf where they differ and `exact` is 0, infinite or NaN, or `sum` is
/// infinite or NaN. Precondition: one floating type.
double ulps_between(const number& sum, const number& exact);

/// sum|x| / |sum x| of the exact sums in all their digits (state::decimal), correct to 15 digits:
/// inf where the sum is 0 and the magnitudes are not, and beyond f64; 1 where both are 0; NaN where
/// one is infinite or NaN.
double condition_number(std::string_view magnitudes, std::string_view sum);

}  // namespace onefold::program
