// SPDX-License-Identifier: Apache-2.0
#pragma once
// reduce/exact in steps that a reader can follow: four floats, three sums, one rounding. Host code,
// with the same additions as the kernel.

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace onefold::ladder {

/// A sum that begins at 1.5 * 2^exponent, so that all it holds are whole units of 2^(exponent-52).
class window_sum {
 public:
  explicit window_sum(int exponent);

  /// Takes in of x what are whole units, to nearest; returns what is left. Both are exact while the
  /// sum stays between 2^exponent and 2^(exponent + 1).
  double take(double x);

  int unit_exponent() const { return exponent_ - 52; }
  std::int64_t units() const;  ///< taken so far

 private:
  int exponent_;
  double sum_;
};

/// What each sum took of one element, and what none took.
struct exact_step {
  float element;
  std::array<double, 3> taken;
  double left;
};

struct exact_example {
  std::vector<exact_step> steps;
  std::array<std::int64_t, 3> units;
  std::array<int, 3> unit_exponents;
  float rounded;     ///< the exact sum, rounded once
  float float_loop;  ///< a loop over the floats
};

exact_example exact_example_of(std::span<const float> elements);

/// The elements that the pages show.
std::span<const float> usual_exact_elements();

std::string to_text(const exact_example& example);

}  // namespace onefold::ladder
