// SPDX-License-Identifier: Apache-2.0
#include "support/real_oracle.hpp"

#include <mpfr.h>

#include <algorithm>

#include "support/ieee.hpp"

namespace onefold::test {
namespace {

// A number of 512 bits.
class real {
 public:
  real() { mpfr_init2(value_, 512); }
  explicit real(double x) : real() { mpfr_set_d(value_, x, MPFR_RNDN); }
  ~real() { mpfr_clear(value_); }
  real(const real&) = delete;
  real& operator=(const real&) = delete;
  operator mpfr_ptr() { return value_; }

 private:
  mpfr_t value_;
};

void set(real& to, const detail::scaled_pair& pair) {
  mpfr_set_d(to, pair.high, MPFR_RNDN);
  mpfr_add_d(to, to, pair.low, MPFR_RNDN);
  mpfr_mul_2si(to, to, long(pair.exponent), MPFR_RNDN);
}

}  // namespace

double relative_error_of_product(const std::vector<double>& x, const detail::scaled_pair& pair) {
  real product(1), got;
  for (double factor : x) mpfr_mul_d(product, product, factor, MPFR_RNDN);
  set(got, pair);
  mpfr_sub(got, got, product, MPFR_RNDA);
  mpfr_div(got, got, product, MPFR_RNDA);
  mpfr_abs(got, got, MPFR_RNDA);
  return mpfr_get_d(got, MPFR_RNDU);
}

scaled_integer exact(const detail::scaled_pair& pair) {
  const auto parts = [](double x) {
    using format = ieee<double>;
    const auto bits = as_bits(x), fraction = bits & (format::hidden - 1);
    const int field = int(bits >> format::fraction_bits & format::special);
    mpz_class whole(static_cast<unsigned long>(field ? fraction | format::hidden : fraction));
    if (bits & format::sign) whole = -whole;
    return std::pair(whole, format::lsb + std::max(field, 1) - 1);
  };
  const auto [high, high_lsb] = parts(pair.high);
  const auto [low, low_lsb] = parts(pair.low);
  const int lsb = std::min(high_lsb, low_lsb);
  return {mpz_class((high << (high_lsb - lsb)) + (low << (low_lsb - lsb))), pair.exponent + lsb};
}

double error_of_log_sum(const std::vector<double>& x, const detail::scaled_pair& value) {
  const double most = *std::max_element(x.begin(), x.end());
  real sum(0), term, got;
  for (double element : x) {
    mpfr_set_d(term, element, MPFR_RNDN);
    mpfr_sub_d(term, term, most, MPFR_RNDN);
    mpfr_exp(term, term, MPFR_RNDN);
    mpfr_add(sum, sum, term, MPFR_RNDN);
  }
  mpfr_log(sum, sum, MPFR_RNDN);
  set(got, value);
  mpfr_sub_d(got, got, most, MPFR_RNDN);
  mpfr_sub(got, got, sum, MPFR_RNDA);
  mpfr_abs(got, got, MPFR_RNDA);
  return mpfr_get_d(got, MPFR_RNDU);
}

double relative_error_of_exp(double (*p)(double), double radius, int n) {
  real exact_value, got;
  double worst = 0;
  for (int i = 0; i <= n; ++i) {
    const double r = radius * (2.0 * i / n - 1);
    mpfr_set_d(exact_value, r, MPFR_RNDN);
    mpfr_exp(exact_value, exact_value, MPFR_RNDN);
    mpfr_set_d(got, p(r), MPFR_RNDN);
    mpfr_sub(got, got, exact_value, MPFR_RNDA);
    mpfr_div(got, got, exact_value, MPFR_RNDA);
    mpfr_abs(got, got, MPFR_RNDA);
    worst = std::max(worst, mpfr_get_d(got, MPFR_RNDU));
  }
  return worst;
}

}  // namespace onefold::test
