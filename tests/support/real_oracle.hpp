// SPDX-License-Identifier: Apache-2.0
// Products and logarithms of sums of exponentials by MPFR, with 512 bits.
#pragma once

#include <gmpxx.h>

#include <cstdint>
#include <vector>

#include "onefold/detail/scaled_pair.hpp"

namespace onefold::test {

/// |pair - product of x| / |product of x|, rounded up; the oracle's own error is below n 2^-510.
/// Precondition: x finite and not zero.
double relative_error_of_product(const std::vector<double>& x, const detail::scaled_pair& pair);

/// The pair as an integer times 2^exponent, exactly.
struct scaled_integer {
  mpz_class total;
  std::int64_t exponent;
};
scaled_integer exact(const detail::scaled_pair& pair);

/// |value - log(sum of exp(x))|, rounded up. Precondition: x finite. The oracle's own error is
/// below 2^-450.
double error_of_log_sum(const std::vector<double>& x, const detail::scaled_pair& value);

/// sup |p(r) - exp(r)| / exp(r) on a grid of n + 1 points of [-radius, radius].
double relative_error_of_exp(double (*p)(double), double radius, int n);

}  // namespace onefold::test
