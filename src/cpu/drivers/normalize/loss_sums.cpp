// SPDX-License-Identifier: Apache-2.0
// Losses of rows weighted and added up: they are few, compared with the elements of rows.
#include <cmath>
#include <limits>

#include "cpu/drivers/normalize/cross_entropy.hpp"
#include "cpu/kernels/rounded.hpp"
#include "onefold/exact.hpp"
#include "rounding/answer.hpp"

namespace onefold::cpu {
namespace {

double number_of(const void* numbers, dtype type, std::int64_t i) {
  return with_type(type, [&]<class T>(detail::tag<T>) -> double {
    if constexpr (std::is_integral_v<T>)
      return 0;
    else
      return double(step(static_cast<const T*>(numbers)[i]));
  });
}

/// 0 of ignored rows.
double weight_of(const class_weights& rows, std::int64_t row) {
  const std::int64_t target = rows.targets[row];
  if (target == rows.ignore_index) return 0;
  return rows.weights == nullptr ? 1
                                 : number_of(rows.weights, rows.type, rows.nearest_class(target));
}

double term_of(const loss_sums& rows, std::int64_t row, double weight) {
  const double loss = rows.losses[row];
  return rows.weights == nullptr ? loss : loss * weight;
}

/// NaNs become the canonical one.
void write(double result, void* to, dtype type) {
  write_number(std::isnan(result) ? std::numeric_limits<double>::quiet_NaN() : result, to, type);
}

}  // namespace

void reduce_losses(const loss_sums& request) {
  const std::int64_t item = std::int64_t(size_bytes(request.result_type));
  if (request.reduction == loss_reduction::none) {
    for (std::int64_t row = 0; row < request.rows; ++row)
      write(term_of(request, row, weight_of(request, row)),
            static_cast<std::byte*>(request.result) + row * item, request.result_type);
    return;
  }
  exact_sum<double> terms, weights;
  for (std::int64_t row = 0; row < request.rows; ++row) {
    const double weight = weight_of(request, row);
    terms.add(term_of(request, row, weight)), weights.add(weight);
  }
  double result = terms.value();
  if (request.reduction == loss_reduction::mean) {
    const double divisor = weights.value();
    if (request.divisor != nullptr) *request.divisor = divisor;
    result /= divisor;
  }
  write(result, request.result, request.result_type);
}

void write_scales(const row_scales& request) {
  for (std::int64_t row = 0; row < request.rows; ++row) {
    double scale = number_of(request.g, request.g_type, request.of_rows ? row : 0);
    if (request.divisor != nullptr) scale /= *request.divisor;
    if (request.weights != nullptr) scale *= weight_of(request, row);
    request.scales[row] = float(scale);
  }
}

}  // namespace onefold::cpu
