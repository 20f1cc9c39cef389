// SPDX-License-Identifier: Apache-2.0
// The accumulator (`family`) of each operator. Operators of one family share a state and one pass
// over the data.
#pragma once

#include "onefold/op.hpp"

namespace onefold {

/// The first five have exact and fast implementations.
enum class family : unsigned char {
  total,       ///< sum, mean
  magnitudes,  ///< norm1
  squares,     ///< sumsq, norm2
  products,    ///< dot
  moments,     ///< var, std; also sum, mean, sumsq, norm2 where requested together with them
  extrema,     ///< min, max, argmin, argmax, minmax, norminf
  tally,       ///< any, all, count, count_nonzero
  bits,        ///< bit_and, bit_or, bit_xor
  product,     ///< prod
  log_sum,     ///< logsumexp
};

constexpr family family_of(op what) noexcept {
  switch (what) {
  case op::sum:
  case op::mean:
    return family::total;
  case op::norm1:
    return family::magnitudes;
  case op::sumsq:
  case op::norm2:
    return family::squares;
  case op::dot:
    return family::products;
  case op::var:
  case op::stddev:
    return family::moments;
  case op::any:
  case op::all:
  case op::count:
  case op::count_nonzero:
    return family::tally;
  case op::bit_and:
  case op::bit_or:
  case op::bit_xor:
    return family::bits;
  case op::prod:
    return family::product;
  case op::logsumexp:
    return family::log_sum;
  default:
    return family::extrema;
  }
}

}  // namespace onefold
