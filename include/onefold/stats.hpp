// SPDX-License-Identifier: Apache-2.0
// Count, sum, mean, variance, norm and extrema of a view in one pass.
#pragma once

#include <cstdint>

#include "onefold/detail/config.hpp"
#include "onefold/reduce.hpp"

namespace onefold {

/// The result of stats(). If no element counts, positions are -1, mean, var, std_dev and extrema
/// are NaN, sum and norm2 are 0.
struct statistics {
  std::int64_t count = 0;      ///< elements that are not NaN
  std::int64_t nan_count = 0;  ///< excluded from all below under nan_policy::omit
  double sum = 0;
  double mean = 0;
  double var = 0;
  double std_dev = 0;
  double norm2 = 0;
  double min = 0;
  double max = 0;
  std::int64_t argmin = -1;
  std::int64_t argmax = -1;
};

/// Every statistic of a view in one pass.
/// Shape:  any rank and strides; all axes are reduced.
/// Error:  exact: each is rounded once to f64, also the extrema of 64-bit integers.
/// Order:  as reduce.
/// Fails:  as reduce, but never empty; unsupported for a mask and an initial value (not all of the
///         operators take them), and if axes are kept, also by options::keepdims.
ONEFOLD_API result<statistics> try_stats(const executor& executor, const array_view& x,
                                         const options& options = {});

/// As try_stats. Fails: throws onefold::error.
inline statistics stats(const array_view& x, const options& options = {}) {
  return try_stats(executor{}, x, options).value();
}

}  // namespace onefold
