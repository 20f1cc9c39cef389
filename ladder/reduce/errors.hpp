// SPDX-License-Identifier: Apache-2.0
#pragma once
// The lesson of reduce/exact: what each way of adding makes of a sum that cancels.
//
// The real kernels run under the executor on ill-conditioned elements, and their answers are held
// against the exact sum, rounded once.

#include "ladder/kernels/kernels.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace onefold::ladder {

/// The columns, as rungs; before them stands a loop over the elements in their order.
inline constexpr std::array<std::string_view, 5> sum_methods = {
    "reduce/sequential", "reduce/one-launch", "reduce/pairwise", "reduce/kahan", "reduce/exact"};

struct sum_error_row {
  element type;
  double condition;  ///< sum |x| / |sum x|
  /// |answer - exact| in ulps of the exact answer, which is rounded once: 0 is all that T can do.
  double loop;
  std::array<double, sum_methods.size()> ulps;
};

struct sum_error_table {
  std::size_t n;
  std::uint64_t seed;
  std::vector<sum_error_row> rows;
};

/// Rows of growing condition for float and double. Fails: std::invalid_argument below 4 elements.
sum_error_table sum_errors(std::size_t n, std::uint64_t seed);

/// The table that the pages show.
sum_error_table usual_sum_errors();

std::string to_text(const sum_error_table& table);

/// The rows of the shuffled sums: of floats.
inline constexpr std::array<std::string_view, 8> shuffled_methods = {
    "reduce/atomic", "reduce/sequential", "reduce/one-launch", "reduce/pairwise",
    "reduce/kahan",  "reduce/interval",   "reduce/integers",   "reduce/exact"};

/// What a rung makes of the same floats in several orders.
struct shuffled_sum {
  std::string_view rung;
  std::size_t answers;  ///< different ones
  double largest_ulps;  ///< error of the worst, in ulps of the exact sum rounded once
};

struct shuffled_table {
  std::size_t n;
  unsigned shuffles;
  std::uint64_t seed;
  std::vector<shuffled_sum> rows;
};

/// Fails: std::invalid_argument below 4 elements.
shuffled_table shuffled_sums(std::size_t n, unsigned shuffles, std::uint64_t seed);

/// The table that the pages show.
shuffled_table usual_shuffled_sums();

std::string to_text(const shuffled_table& table);

struct rung;
struct trial_options;

/// The sum of these elements by a rung of this ladder, under an executor of its own; partials are
/// folded by the host in their order.
/// Fails: std::invalid_argument as validate_here and kernel_for.
template <class T>
T sum_by(const rung& r, const trial_options& options, std::span<const T> values);

}  // namespace onefold::ladder
