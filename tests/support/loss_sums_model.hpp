// SPDX-License-Identifier: Apache-2.0
// Weighted losses, their sum and mean, and scales as onefold/loss.hpp defines them, with GMP's
// sums.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "onefold/loss.hpp"
#include "support/elements.hpp"
#include "support/oracle.hpp"
#include "support/rms_norm_model.hpp"

namespace onefold::test {

/// Rows with losses and targets; weights of classes, of type W, none where there are no classes.
template <class W>
struct loss_case {
  static constexpr std::int64_t ignored = -7;
  std::vector<float> losses{};
  std::vector<std::int64_t> targets{};
  std::vector<W> weights{};

  std::int64_t rows() const { return std::int64_t(losses.size()); }
  /// Losses of all sizes, with few infinities and NaNs where `specials`.
  static loss_case made(random_source& random, std::int64_t rows, std::int64_t classes,
                        bool specials) {
    loss_case all;
    for (std::int64_t c = 0; c < classes; ++c)
      all.weights.push_back(chopped<W>(random.one_in(9) ? 0.0 : random.normal()));
    for (std::int64_t row = 0; row < rows; ++row) {
      const int scale = random.one_in(3) ? int(random.below(240)) - 120 : 0;
      float loss = std::ldexp(float(std::abs(random.normal())), scale);
      if (specials && random.one_in(40)) loss = random.one_in(2) ? INFINITY : NAN;
      const bool counts = !random.one_in(5);
      const std::int64_t any =
          std::int64_t(random.below(std::uint64_t(std::max(classes, std::int64_t(9)))));
      all.targets.push_back(counts ? any : ignored);
      all.losses.push_back(counts ? loss : 0);
    }
    return all;
  }
  double weight(std::int64_t row) const {
    const std::int64_t target = targets[std::size_t(row)];
    if (target == ignored) return 0;
    return weights.empty() ? 1 : double(step_value(weights[std::size_t(target)]));
  }
  double term(std::int64_t row) const {
    const double loss = losses[std::size_t(row)];
    return weights.empty() ? loss : loss * weight(row);
  }
  std::string text() const {
    return std::to_string(rows()) + " rows, " + std::to_string(weights.size()) + " weights of " +
           std::string(name(dtype_of<W>)) + ", ONEFOLD_TEST_SEED=" + std::to_string(seed());
  }
};

inline double exact_total(const std::vector<double>& terms) {
  if (terms.empty()) return 0;
  oracle<double> sum;
  sum.add(terms.data(), std::int64_t(terms.size()));
  return detail::from_bits<double>(sum.value());
}

/// A double in format Out, rounded once, by GMP; NaNs are the canonical one.
template <class Out>
bits_of<Out> narrowed_bits(double x) {
  oracle<double> one;
  one.add(&x, 1);
  return one.value<Out>();
}

template <class W, class Out>
std::vector<bits_of<Out>> modelled_results(const loss_case<W>& given, loss_reduction reduction,
                                           double& divisor) {
  std::vector<double> terms, weights;
  for (std::int64_t row = 0; row < given.rows(); ++row)
    terms.push_back(given.term(row)), weights.push_back(given.weight(row));
  std::vector<bits_of<Out>> made;
  if (reduction == loss_reduction::none) {
    for (const double term : terms) made.push_back(narrowed_bits<Out>(term));
    return made;
  }
  double result = exact_total(terms);
  if (reduction == loss_reduction::mean) {
    divisor = exact_total(weights);
    result /= divisor;
  }
  made.push_back(narrowed_bits<Out>(result));
  return made;
}

template <class W, class G>
std::vector<float> modelled_scales(const loss_case<W>& given, const std::vector<G>& g, bool of_rows,
                                   const double* divisor) {
  std::vector<float> made;
  for (std::int64_t row = 0; row < given.rows(); ++row) {
    double scale = double(step_value(g[of_rows ? std::size_t(row) : 0]));
    if (divisor != nullptr) scale /= *divisor;
    if (!given.weights.empty()) scale *= given.weight(row);
    made.push_back(float(scale));
  }
  return made;
}

/// Calls f(tag<W>, tag<Out>) with each type of weights and of results.
template <class F>
void for_loss_types(const F& f) {
  const auto with_weights = [&]<class W>(detail::tag<W> weights) {
    f(weights, detail::tag<f16>());
    f(weights, detail::tag<bf16>());
    f(weights, detail::tag<float>());
    f(weights, detail::tag<double>());
  };
  with_weights(detail::tag<f16>());
  with_weights(detail::tag<bf16>());
  with_weights(detail::tag<float>());
  with_weights(detail::tag<double>());
}

}  // namespace onefold::test
