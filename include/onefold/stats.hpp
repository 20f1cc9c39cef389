// SPDX-License-Identifier: Apache-2.0
// Many answers in one pass.
#pragma once

#include <cstdint>

#include "onefold/detail/config.hpp"
#include "onefold/reduce.hpp"

namespace onefold {

/// What stats() tells of an array. Positions are -1 and extrema NaN where there is no element.
struct statistics {
  std::int64_t count = 0;      ///< elements that are no NaN
  std::int64_t nan_count = 0;  ///< left out of all that follows under nan_policy::omit
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

/// Every statistic of a view in one pass, each correctly rounded to f64.
/// Fails: as reduce.
ONEFOLD_API result<statistics> try_stats(const executor& on, const array_view& x,
                                         const options& how = {});

inline statistics stats(const array_view& x, const options& how = {}) {
  return try_stats(executor{}, x, how).value();
}

}  // namespace onefold
